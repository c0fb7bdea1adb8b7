"""The facts that no mutant breaks, each with the reason: claim, code of the fact, reason.

`make mutants` says so if a reason is not needed. Benchmarks meet few mutants, and need none.
"""

LABEL = "it names the case that the line is about"
COUNT = "it says how many were tried, so that the rest of the proof is not empty"
NAME = "Python alone decides: nothing that PyTorch does can bind a name anew"
IDENTITY = "Python alone decides: `in` looks at identity before `==`, and `is` at nothing else"
NUMPY = "NumPy alone decides, and the claim compares with it"
CASE = "it says that the case is the one that the sentence names"
CHILD = "it runs in a new Python process, where nothing is changed"

LEFT: dict[str, dict[str, str]] = {
    "all_short_chains.no_way_back": {"len(cut) > 100": COUNT},
    "as_tensor_asarray.default": {"counts.strip()": CHILD},
    "as_tensor_asarray.shared_memory": {"f'{way}:'": LABEL},
    "assignment_and_aliasing.slice_assign": {"other_name is x": NAME},
    "caches_and_graphs.fork": {"f'{name:21} the other beam reads:'": LABEL},
    "checkpoints_on_disk.failed_save": {"f'{save.__name__} raised'": LABEL},
    "checkpoints_on_disk.meta_index": {
        "model.position_ids.is_meta": CASE,
        "'position_ids' not in model.state_dict()": CASE,
    },
    "checkpoints_on_disk.resume": {"f\"loaded {' and '.join(loads)}:\"": LABEL},
    "comparison.view": {"len(LIVE['view'])": COUNT},
    "copy_.range": {"value": LABEL},
    "cpu_numpy_sharing.convert": {"a.astype(np.float64, copy=False) is a": NUMPY},
    "cpu_numpy_sharing.packed": {
        "records['value'].strides": NUMPY,
        "records['value'].itemsize": NUMPY,
    },
    "cpu_numpy_sharing.rebind": {"share(a, t)": NUMPY},
    "data.assign": {"p is same_object": NAME},
    "data_vs_detach.alike": {"f'{name}, equal:'": LABEL},
    "deepcopy_pickle.attributes": {"type(source).__name__": LABEL},
    "detach_clone.same_result": {"2 * len(sources)": COUNT},
    "devices.chain": {"tensor": "it shows the tensor with which the chain begins"},
    "devices.mixing": {"len(names)": COUNT},
    "errors.ambiguous": {
        "first in tensors": IDENTITY,
        "any((entry is t for entry in tensors))": IDENTITY,
        "not any((entry is t.clone() for entry in tensors))": IDENTITY,
    },
    "gradients_as_tensors.not_copied": {
        "p.grad is not None": "`p` and its gradient are made, and shown, by the proof before",
    },
    "inplace_and_version_counter.moves": {"len(calls) > 150": COUNT},
    "logging_values.float_warns": {"done.stdout.split()": CHILD},
    "look_at_your_tensors.unseen": {
        "not seen": "it repeats in an assertion that the report printed before is empty",
    },
    "memory_format.one": {"column.stride()": CASE},
    "new_tensor.method": {
        "hasattr(torch.Tensor, 'new_tensor')": "the other proofs of the chapter call the method",
    },
    "no_grad.view": {"name": LABEL},
    "no_grad.np_dot": {"np.dot(x.numpy(), np.ones((4, 2))).dtype": NUMPY},
    "numpy.bfloat16": {
        "share(array, t)": "numbers of 4 bytes cannot lie on the memory of numbers of 2 bytes",
    },
    "silently_wrong.shared_memory": {
        "t.tolist() == [7] * 4": "the system decides what lies at an address that was given back",
    },
    "what_is_a_copy.assignment": {"b is a": NAME},
    "what_is_a_copy.version": {"len(versions) > 100": COUNT},
}
