"""What people ask the search, and the pages that answer it, the best first.

`TUNED` is the list that the ranking was made with, and `LEARNED` one that it was improved with.
`FRESH` was written before that, from the titles of issues and of threads on forums, and the ranking
is not changed for its sake: it says how the search fares with questions that it was not made for.
`OWN` is what the author of a chapter expects to lead to it.
"""

TUNED = {
    "numpy() error": ["reference/errors"],
    "save best model": ["topics/parameters_and_modules"],
    "is clone().detach() slower": ["benchmarks/clone_detach_order"],
    "trainable copy of tensor": ["methods/detach_clone", "topics/leaf_tensors"],
    "to cuda copy": ["methods/to_cpu"],
    "target network": ["topics/target_networks_ema"],
    "copy weights": ["topics/target_networks_ema", "topics/parameters_and_modules"],
    "hidden state list memory leak": ["topics/recurrent_state", "topics/logging_values"],
    "does slicing copy": ["methods/views"],
    "share memory numpy": ["topics/cpu_numpy_sharing", "methods/numpy"],
    "copy a model": ["topics/parameters_and_modules"],
    "gradient after x[0] = 7 clone": ["methods/clone"],
    "what is a leaf tensor": ["topics/leaf_tensors"],
    "clone detach": ["methods/detach_clone"],
    "clone vs detach": ["methods/detach_clone", "methods/clone", "methods/detach"],
    "deepcopy tensor": ["methods/deepcopy_pickle"],
    "torch.tensor warning": ["methods/torch_tensor"],
    "memory leak": ["topics/logging_values"],
    "shared memory": ["topics/processes_and_loaders", "topics/what_is_a_copy"],
    "retain_grad": ["topics/gradient_flow"],
    "detach hidden state": ["topics/recurrent_state"],
    "numpy to tensor": ["methods/numpy"],
    "check if two tensors share memory": ["topics/what_is_a_copy"],
    "inplace error": ["topics/inplace_and_version_counter"],
}

LEARNED = {
    "copy tensor without gradient": ["methods/detach_clone", "methods/detach"],
    "can't deepcopy model not graph leaves": ["reference/errors", "methods/deepcopy_pickle"],
    "best_model_wts is always the last epoch": ["topics/parameters_and_modules"],
    "gpu memory keeps increasing every iteration": ["topics/logging_values"],
    "rnn hidden loop out of memory": ["topics/recurrent_state"],
    "total_loss += loss oom": ["topics/logging_values"],
    "to cpu non_blocking garbage values": ["topics/devices", "methods/to_cpu"],
    "is pin_memory worth it": ["topics/devices", "benchmarks/cuda_transfers"],
    "negative strides np.flip image": ["reference/errors", "methods/numpy"],
    "numpy array is not writable": ["reference/errors", "methods/numpy"],
    "modifying numpy array changes tensor": ["topics/cpu_numpy_sharing", "methods/numpy"],
    "difference between view and reshape": ["methods/views"],
    "why do i need contiguous after permute": ["methods/views", "methods/memory_format"],
    "torch.save slice huge file": ["methods/deepcopy_pickle"],
    "torch.tensor or from_numpy which is faster": ["methods/numpy", "methods/as_tensor_asarray"],
    "copy weights from one network to another": [
        "topics/target_networks_ema",
        "topics/parameters_and_modules",
    ],
    "stop gradient in one branch": ["methods/detach", "topics/gradient_flow"],
    "freeze part of a network": ["topics/two_networks", "topics/parameters_and_modules"],
    "expand vs repeat": ["methods/views"],
    "why is grad none after backward": ["topics/gradient_flow", "topics/leaf_tensors"],
    "clone a parameter so the optimizer updates it": [
        "topics/leaf_tensors",
        "methods/detach_clone",
    ],
    "dataloader too many open files": ["topics/processes_and_loaders"],
    "backward fails after += on activation": [
        "topics/inplace_and_version_counter",
        "reference/errors",
    ],
    "convert bfloat16 tensor to numpy": ["methods/numpy", "topics/special_tensors"],
}

FRESH = {
    "optimizer state_dict alias tensors": ["topics/parameters_and_modules"],
    "deepcopy does not copy grad": ["methods/deepcopy_pickle"],
    "deepcopy fsdp model for ema": ["topics/sharded_and_replicated", "topics/target_networks_ema"],
    "grad is none after view": ["topics/leaf_tensors", "topics/gradient_flow"],
    "accessing grad of non-leaf tensor warning": [
        "reference/errors",
        "topics/leaf_tensors",
        "topics/gradient_flow",
    ],
    "clone sparse tensor": ["topics/special_tensors"],
    "non_blocking gpu to pinned memory": ["topics/devices", "benchmarks/cuda_transfers"],
    "inference tensors cannot be saved for backward": [
        "reference/errors",
        "topics/inference_mode",
    ],
    "torch.compile input mutation alias": ["topics/compile"],
    "detach in gan discriminator": ["topics/two_networks"],
    "ema teacher should be deepcopied": ["topics/target_networks_ema"],
    "dataloader bus error shared memory": ["topics/processes_and_loaders"],
    "in-place on expanded tensor": ["methods/memory_format", "methods/views", "reference/errors"],
    "gpu leak torch.cat predictions cpu": ["topics/logging_values"],
    "clone preserve memory_format": ["methods/memory_format", "methods/clone"],
    "replace clone.detach with detach.clone": [
        "methods/detach_clone",
        "benchmarks/clone_detach_order",
    ],
    "parameters sharing storage deepcopy": [
        "methods/deepcopy_pickle",
        "topics/parameters_and_modules",
    ],
    "modelB = modelA same object": [
        "topics/assignment_and_aliasing",
        "topics/parameters_and_modules",
    ],
    "list of numpy arrays slow": ["methods/as_tensor_asarray", "methods/torch_tensor"],
    "replace .data by .detach()": ["topics/data_vs_detach", "methods/data"],
    "convert jax array to torch tensor": ["methods/dlpack"],
    "swap two tensors": ["topics/assignment_and_aliasing"],
    "retain_graph=True gan second backward": [
        "topics/two_networks",
        "topics/recurrent_state",
        "reference/errors",
    ],
    "detach instead of clone to free graph": ["methods/detach", "topics/logging_values"],
}

OWN = {
    "checkpoint mmap": ["topics/checkpoints_on_disk"],
    "safetensors tied weights": ["topics/checkpoints_on_disk", "reference/errors"],
}
