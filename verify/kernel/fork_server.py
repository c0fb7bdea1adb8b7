"""Fork kernels from one process that has imported what takes long: `python fork_server.py FD`.

A message on the socket FD is JSON, with the file that gets the kernel's stderr: the arguments, the
environment and the folder of a kernel, and which modules to import before it is forked. The answer
is the number of its process. The kernel is as fresh as one that was started: it differs in what
`sys.modules` holds.
"""

import gc
import json
import os
import random
import signal
import socket
import sys
import warnings
from collections.abc import Iterable

from launch import hide_what_readers_lack

# What a kernel imports at its start; the debugger takes half of that time.
KERNEL = (
    *("ipykernel.kernelapp", "ipykernel.debugger", "ipykernel.zmqshell", "psutil"),
    *("IPython.core.completerlib", "IPython.core.oinspect", "IPython.extensions.storemagic"),
)
# What torch imports when it is first needed: for an optimizer, a meta tensor, a compilation. It
# takes longer than all the rest, so a server for one or two notebooks does without.
LATER = ("torch._dynamo", "torch._inductor.compile_fx")
FEW = 2
LARGEST = 1 << 20  # bytes of a message


def fail_on_warning(message: Warning, *args: object) -> None:
    """Raise what would be shown."""
    raise message


def import_ahead(names: Iterable[str]) -> dict[str, str]:
    """Import modules; return the variables that this put into the environment.

    A module that warns is an error here, for it would not warn in a notebook any more.
    """
    before = dict(os.environ)
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # ipykernel reads it when it is imported
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")  # so does mpl
    show, warnings.showwarning = warnings.showwarning, fail_on_warning
    for name in names:
        __import__(name)
    warnings.showwarning = show
    keep_shared()
    return {key: value for key, value in os.environ.items() if before.get(key) != value}


def import_later() -> None:
    """Import what some notebooks do, and take back what it does to the process."""
    before = dict(os.environ)
    with warnings.catch_warnings():
        for name in LATER:
            __import__(name)
    os.environ.clear()
    os.environ.update(before)
    keep_shared()


def keep_shared() -> None:
    """Let no collection in a fork touch, and so copy, the memory of this process."""
    gc.collect()
    gc.freeze()


def reseed() -> None:
    """Seed as the imports in a process of its own do: from the system's randomness."""
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()


def become_kernel(message: dict, stderr: int) -> None:
    """Be a kernel, in a process that was just forked."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(message["cwd"])
    os.environ.clear()
    os.environ.update(message["env"])
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, file in enumerate((nothing, stderr, stderr)):
        os.dup2(file, number)
    os.close(nothing)
    os.close(stderr)
    sys.argv = message["argv"]
    reseed()
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()


def serve(channel: socket.socket, environment: dict[str, str]) -> None:
    """Fork a kernel for each message, until the other side is closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system itself removes what has ended
    served = 0  # kernels that want torch
    while True:
        data, files, _, _ = socket.recv_fds(channel, LARGEST, 1)
        if not data:
            return
        message = json.loads(data)
        if wanted := [name for name in message["imports"] if name not in sys.modules]:
            environment |= import_ahead(wanted)
        served += "torch" in message["imports"]
        if served > FEW and LATER[0] not in sys.modules:
            import_later()
        if pid := os.fork():
            os.close(files[0])
            channel.send(str(pid).encode())
        else:
            channel.close()
            message["env"] |= environment
            become_kernel(message, files[0])
            os._exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for pytest, which ends us
    hide_what_readers_lack()
    environment = import_ahead(KERNEL)
    serve(socket.socket(fileno=int(sys.argv[1])), environment)
