"""Which chapters are held by properties, and why a claim of theirs is not.

A claim whose proof needs CUDA needs no line here: the properties run on the CPU.
"""

CHAPTERS = (
    # book/methods
    "as_tensor_asarray",
    "clone",
    "copy_",
    "data",
    "deepcopy_pickle",
    "detach",
    "detach_clone",
    "dlpack",
    "memory_format",
    "new_tensor",
    "numpy",
    "to_cpu",
    "torch_tensor",
    "views",
    # book/topics
    "cpu_numpy_sharing",
    "data_vs_detach",
    "devices",
    "gradient_flow",
    "inference_mode",
    "inplace_and_version_counter",
    "leaf_tensors",
    "no_grad",
)

NO_PROPERTY = {
    "as_tensor_asarray.shared_memory": "the process that reads ends",
    "deepcopy_pickle.weights_only": "speaks of classes of objects and of code in a file",
    "devices.no_cuda": "speaks of the machine and of how PyTorch was built",
    "dlpack.negative_stride": "on the releases of which it speaks, the process ends",
    "inplace_and_version_counter.anomaly": "speaks of the text of a warning",
    "memory_format.unnoticed": "which values come out wrong is not defined",
    "new_tensor.method": "speaks of a name of the module torch",
    "to_cpu.large_example": "speaks of one example with numbers of its own",
}
