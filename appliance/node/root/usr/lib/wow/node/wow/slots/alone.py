"""
What a starter is alone in, and its job with it, which inherits both and gets out of neither.

- A namespace of its own for what System V and POSIX queues share: else one job opens another's, and what a job leaves stays there when it has ended.
- A namespace of mounts, in which the folder of systemd's sockets is empty: in the journal a job would write in others' names, on the machine's screen, too.
- A domain of Landlock (kernel, userspace-api/landlock.rst) from where no Unix socket without a file can be reached but its own. Such sockets belong to
  nobody and stand open to the whole machine, other slots' and HTCondor's own among them; the fence sees no packet of theirs.
"""
import posix  # as in libc.py

from wow.lib import libc

CLONE_NEWIPC, CLONE_NEWNS = 0x08000000, 0x00020000
MS_RDONLY, MS_REC, MS_SLAVE = 1, 1 << 14, 1 << 19
SOCKETS = b"/run/systemd"
CREATE_RULESET, RESTRICT_SELF = 444, 446
SCOPE_ABSTRACT_UNIX_SOCKET = 1
RULES = b"".join(number.to_bytes(8, "little") for number in (0, 0, SCOPE_ABSTRACT_UNIX_SOCKET))
"""struct landlock_ruleset_attr: handled_access_fs, handled_access_net, scoped."""


def enter() -> None:
    """Enters all. OSError where the kernel lacks one of them: Landlock for sockets came with 6.12, and is asked for while the journal can still be told."""
    rules = libc.call("syscall", CREATE_RULESET, RULES, len(RULES), 0)
    libc.call("unshare", CLONE_NEWIPC | CLONE_NEWNS)
    libc.call("mount", None, b"/", None, MS_REC | MS_SLAVE, None)
    libc.call("mount", b"none", SOCKETS, b"tmpfs", MS_RDONLY, b"mode=0")
    libc.call("syscall", RESTRICT_SELF, rules, 0)
    posix.close(rules)
