"""The kernels that run a notebook: each in a process, a folder and a namespace of its own.

kernels/stands-alone/    the kernel's specification for Jupyter
launch.py                starts a kernel that imports nothing but what a reader has
fork_server.py           has imported torch once, and forks such kernels
forked.py                asks it for a kernel, on behalf of jupyter_client
"""

# For PYTHONWARNINGS: on CUDA the first `backward()` of a product can say that it makes a context,
# and the compiler that TensorFloat32 is there and not in use.
QUIET = "ignore:Attempting to run cuBLAS,ignore:TensorFloat32 tensor cores"
