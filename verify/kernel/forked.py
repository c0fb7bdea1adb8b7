"""Ask a fork server for a kernel, on behalf of jupyter_client."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from jupyter_client.provisioning import LocalProvisioner

SERVER = Path(__file__).with_name("fork_server.py")
# Variables in which the kernels of one server may differ.
OWN = {"IPYTHONDIR", "JPY_PARENT_PID", "PYTEST_CURRENT_TEST"}


class ForkServer:
    """A process that imports torch once and forks kernels; one for each worker of pytest."""

    def __init__(self):
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.environment = dict(os.environ)
        command = [sys.executable, SERVER, str(theirs.fileno())]
        self.process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
        )
        theirs.close()

    def fork(
        self, argv: list[str], env: dict, cwd: str, stderr: int, imports: Sequence[str]
    ) -> int:
        """Return the number of the process of a new kernel, with modules imported ahead."""
        message = {"argv": argv, "env": env, "cwd": cwd, "imports": imports}
        message = json.dumps(message).encode()
        try:
            socket.send_fds(self.channel, [message], [stderr])
            return int(self.channel.recv(100))
        except (OSError, ValueError) as error:
            raise RuntimeError(f"the server that forks kernels has ended: {error}") from None

    def close(self) -> None:
        """End the server; its kernels notice, and end too."""
        self.channel.close()
        self.process.wait()


class Process:
    """The process of a forked kernel, as far as jupyter_client asks for a Popen."""

    stdin = stdout = stderr = returncode = None

    def __init__(self, pid: int):
        self.pid = pid
        try:
            self.file = os.pidfd_open(pid)
        except ProcessLookupError:  # it has ended already
            self.file, self.returncode = None, 1

    def poll(self) -> int | None:
        """Return None while the process lives; its exit status is not known."""
        if self.file is not None and select.select([self.file], [], [], 0)[0]:
            os.close(self.file)
            self.file, self.returncode = None, 1
        return self.returncode

    def wait(self) -> int:
        """Wait for the end of the process."""
        while self.poll() is None:
            time.sleep(0.01)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            signal.pidfd_send_signal(self.file, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)


class ForkProvisioner(LocalProvisioner):
    """Gets the process of a kernel from a fork server. Set both before the kernel starts."""

    server: ForkServer
    imports: Sequence[str]

    async def launch_kernel(self, cmd: list[str], **options: object) -> dict:
        """Fork the kernel; `cmd` is what would start it without a server."""
        stderr = options["stderr"].fileno()
        pid = self.server.fork(cmd[1:], options["env"], options["cwd"], stderr, self.imports)
        self.process, self.pid, self.pgid = Process(pid), pid, pid
        self.cwd = options["cwd"]
        return self.connection_info

    def end(self) -> None:
        """End the kernel and what it started; jupyter_client would look every 100 ms if it did."""
        with contextlib.suppress(ProcessLookupError):  # it has ended already
            os.killpg(self.pgid, signal.SIGKILL)
        self.process.wait()


def can_serve(server: ForkServer, environment: dict) -> bool:
    """Tell whether a kernel with this environment may come from a server."""
    theirs = {key: value for key, value in server.environment.items() if key not in OWN}
    return theirs == {key: value for key, value in environment.items() if key not in OWN}
