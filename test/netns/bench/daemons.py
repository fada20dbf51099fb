"""Two programs that carry a peer's packets, one at each end."""

import os
import subprocess


class Daemons:
    """What the peers have in common whose work is done by a program at each end."""

    def __init__(self):
        self._running = []

    def begin(self, two, name, *command, **environment):
        """Starts a program at an end."""
        self._running.append(subprocess.Popen(
            two.inside(name, *command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment}))

    def processes(self):
        """Their process numbers."""
        return [daemon.pid for daemon in self._running]

    def stop(self):
        """Ends what start() began."""
        for daemon in self._running:
            daemon.kill()
            daemon.wait()
        self._running = []
