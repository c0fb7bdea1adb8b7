"""The mutants, by subject. A mutant is a function under `@mutant("what is changed")`.

`make mutants` reports in the order of this list.
"""

from verify.mutants.catalogue import (  # noqa: F401, I001
    clone,
    detach,
    data,
    copy_,
    torch_tensor,
    new_tensor,
    as_tensor_asarray,
    from_numpy,
    numpy,
    to_cpu,
    leaves,
    versions,
    grad_modes,
    backward,
    gradients,
    modules,
    compiled,
    deepcopy_pickle,
    layout,
    operations,
    item,
    processes,
    sharded,
    special_tensors,
    devices,
    pages,
    speed,
    measuring,
)
