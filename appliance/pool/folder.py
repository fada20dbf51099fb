"""The one folder of a pool: what stands where in it, and that one command at a time works there."""

import fcntl
import json
import os
import pathlib
import secrets
import shlex

from pool import durable, settings
from pool.node import WowError

LEFT_ALONE = {".lock", ".gitignore", "pool.json.new"}
"""What a folder may hold that a first run was ended in before it knew its pool."""


class Folder:
    """Paths of a pool's folder."""

    def __init__(self, root):
        self.root = pathlib.Path(root).absolute()
        self.settings = self.root / "pool.json"
        self.secret = self.root / "secret"
        self.tickets = self.root / "tickets.json"
        self.manager = self.root / "manager"
        self.ca = self.manager / "ca"
        self.managers = self.root / "managers"
        self.list = self.root / "managers.notice"
        self.keys = self.root / "keys.notice"
        self.stamped = self.root / "stamped.json"
        self.for_manager = self.root / "for-manager"
        self.for_volunteers = self.root / "for-volunteers"
        self.for_scientists = self.root / "for-scientists"
        self.start = self.root / "START.md"
        self.authority = self.root / "authority.age"
        self.sealed = self.root / "backup.age"
        self.seal = self.root / "backup.json"

    @property
    def typed(self):
        """The folder as a person types it in a shell: there may be blanks in its name."""
        return shlex.quote(str(self.root))

    def make(self):
        """Makes the folder, which its owner alone may enter. WowError where something else is there."""
        if self.root.exists() and not self.root.is_dir():
            raise WowError("is a file", "Give another --folder", str(self.root))
        if self.root.exists() and not self.settings.exists() and set(os.listdir(self.root)) - LEFT_ALONE:
            raise WowError("is there already, and is no pool's", "Give another --folder, or another name", str(self.root))
        if not self.root.parent.is_dir():
            raise WowError("does not exist", "Make it, or give another --folder", str(self.root.parent))
        if not self.root.exists():
            self.root.mkdir(0o700)
            durable.sync_one(self.root.parent)
        self.root.chmod(0o700)
        # It holds keys: where it stands in a clone, nobody shall commit it by chance.
        durable.write(self.root / ".gitignore", "*\n")

    def read(self):
        """The Settings of a pool that is there; WowError where none is."""
        if not self.settings.exists():
            raise WowError("is no folder of a pool", "Name the folder that `wow pool create` made", str(self.root))
        return settings.read(self.settings)

    def lock(self, wait):
        """Takes the folder for this run; `wait` is called if somebody has it. Returns the descriptor, which ends the lock when the last process that
        has it ends: programs of a run that was killed are waited for."""
        held = os.open(self.root / ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wait(f"another `wow pool` works in {self.root}; waiting for its end")
            fcntl.flock(held, fcntl.LOCK_EX)
        return held

    def make_secret(self):
        """The key of the MAC on every first frame, 32 random bytes."""
        durable.write(self.secret, secrets.token_hex(32) + "\n")

    def other(self, host):
        """Where the key and the certificate of a manager beside the first are."""
        return self.managers / host

    def for_other(self, host):
        """Where the images of such a manager are."""
        return self.root / f"for-manager-{host}"

    def certificate_of(self, host):
        """Where the last certificate of such a manager is kept once it is taken off the list."""
        return self.for_other(host) / f"{host}.pem"

    def read_secret(self):
        """64 hex digits."""
        return self.secret.read_text(encoding="ascii").strip()

    def read_tickets(self):
        """[{id, ticket, machines, until}], the newest last; the last is in the volunteers' image."""
        return json.loads(self.tickets.read_text(encoding="ascii")) if self.tickets.exists() else []

    def keep_tickets(self, tickets):
        """Replaces them."""
        durable.write(self.tickets, json.dumps(tickets, indent=2) + "\n")
