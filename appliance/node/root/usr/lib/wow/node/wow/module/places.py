"""Which paths a module may not hold as files, and what becomes of them where one is developed: one table for recipes and for `wow module publish`."""
import fnmatch
import re

DROP, FRAGMENT, REFUSE = "dropped", "fragment", "refused"

UNNAMABLE = re.compile(r'["\\\x00-\x1f\x7f\ud800-\udfff]')
"""In a path: what mksquashfs's lists cannot say, and bytes that are no UTF-8, as os has them."""

OF_THE_MACHINE = "each machine has its own"
MADE_ANEW = "is made anew from the modules that a machine has"
OF_THE_BOOT = "is gone at the next start"

# A module adds files of its own; these belong to the base, to one machine, or to one boot. The first that matches counts.
HELD_BACK = (
    ("boot", REFUSE, "the kernel comes with the base"),
    ("usr/lib/modules", REFUSE, "the kernel's drivers come with the base"),
    ("bin", REFUSE, "is a link of the base to /usr/bin"),
    ("sbin", REFUSE, "is a link of the base to /usr/sbin"),
    ("lib", REFUSE, "is a link of the base to /usr/lib"),
    ("lib64", REFUSE, "is a link of the base to /usr/lib64"),
    ("dev", DROP, OF_THE_BOOT),
    ("proc", DROP, OF_THE_BOOT),
    ("sys", DROP, OF_THE_BOOT),
    ("run", DROP, OF_THE_BOOT),
    ("tmp", DROP, OF_THE_BOOT),
    ("var/tmp", DROP, OF_THE_BOOT),
    ("home", DROP, "people's homes stay on this machine"),
    ("root", DROP, "root's home stays on this machine"),
    ("var/lib/wow", DROP, OF_THE_MACHINE),
    ("var/log", DROP, "what was logged here"),
    ("var/cache", DROP, "can be made anew"),
    ("etc/machine-id", DROP, OF_THE_MACHINE),
    ("etc/hostname", DROP, OF_THE_MACHINE),
    ("etc/ssh/ssh_host_*", DROP, OF_THE_MACHINE),
    ("etc/passwd", FRAGMENT, "the new lines are published"),
    ("etc/group", FRAGMENT, "the new lines are published"),
    ("etc/shadow", FRAGMENT, "the new lines are published"),
    ("etc/gshadow", FRAGMENT, "the new lines are published"),
    ("var/lib/dpkg/status", FRAGMENT, "the new packages' stanzas are published"),
    ("var/lib/dpkg/diversions", FRAGMENT, "the new entries are published"),
    ("var/lib/dpkg/statoverride", FRAGMENT, "the new lines are published"),
    ("var/lib/dpkg/alternatives", FRAGMENT, "the new choices are published"),
    ("var/lib/dpkg/triggers", FRAGMENT, "the new interests are published"),
    ("var/lib/dpkg", DROP, "dpkg's own: locks, old states, what could be installed"),
)
FORBIDDEN = [pattern for pattern, _, _ in HELD_BACK]
"""What a recipe may not hold as files."""

# What a running machine has besides, and a recipe may hold: nobody writes it there by chance.
LEFT = (
    ("var/lib/apt/extended_states", FRAGMENT, "the new packages' marks are published"),
    ("etc/shells", FRAGMENT, "the new lines are published"),
    ("var/lib/shells.state", FRAGMENT, "the new lines are published"),
    ("var/lib/ucf/hashfile", FRAGMENT, "the new lines are published"),
    ("var/lib/ucf/registry", FRAGMENT, "the new lines are published"),
    ("etc/subuid", FRAGMENT, "the new lines are published"),
    ("etc/subgid", FRAGMENT, "the new lines are published"),
    ("usr/lib/wow/modules", DROP, "says what a layer is, and is written with it"),
    ("etc/alternatives", FRAGMENT, "the choices are published, and the links made anew"),
    ("var/lib/ucf", DROP, "ucf's own old states"),
    ("var/lib/apt", DROP, "what apt knows of archives"),
    ("etc/apt/sources.list", DROP, "a module is updated as a whole, never by apt"),
    ("etc/apt/sources.list.d", DROP, "a module is updated as a whole, never by apt"),
    ("etc/dpkg/dpkg.cfg.d/wow", DROP, "what the base leaves out is the base's affair"),
    ("usr/sbin/policy-rc.d", DROP, "keeps services from starting while packages are installed"),
    ("etc/ld.so.cache", DROP, MADE_ANEW),
    ("usr/share/info/dir", DROP, MADE_ANEW),
    ("usr/share/mime/mime.cache", DROP, MADE_ANEW),
    ("usr/share/icons/*/icon-theme.cache", DROP, MADE_ANEW),
    ("usr/share/glib-2.0/schemas/gschemas.compiled", DROP, MADE_ANEW),
    ("usr/lib/*/gio/modules/giomodule.cache", DROP, MADE_ANEW),
    ("usr/lib/*/gconv/gconv-modules.cache", DROP, MADE_ANEW),
    ("usr/lib/*/gdk-pixbuf-2.0/*/loaders.cache", DROP, MADE_ANEW),
    ("var/lib/systemd/catalog/database", DROP, MADE_ANEW),
    ("*/__pycache__", DROP, "Python compiles it anew"),
    ("etc/hosts", DROP, OF_THE_MACHINE),
    ("etc/resolv.conf", DROP, OF_THE_MACHINE),
    ("etc/adjtime", DROP, OF_THE_MACHINE),
    ("etc/mtab", DROP, OF_THE_MACHINE),
    ("etc/.pwd.lock", DROP, OF_THE_BOOT),
    ("etc/.updated", DROP, OF_THE_BOOT),
    ("var/.updated", DROP, OF_THE_BOOT),
    ("etc/passwd-", DROP, "a table as it was before"),
    ("etc/group-", DROP, "a table as it was before"),
    ("etc/shadow-", DROP, "a table as it was before"),
    ("etc/gshadow-", DROP, "a table as it was before"),
    ("etc/subuid-", DROP, "a table as it was before"),
    ("etc/subgid-", DROP, "a table as it was before"),
    ("etc/swanctl/x509crl", DROP, OF_THE_MACHINE),
    ("var/lib/systemd/random-seed", DROP, OF_THE_MACHINE),
    ("var/lib/systemd/timers", DROP, OF_THE_MACHINE),
    ("var/lib/systemd/timesync", DROP, OF_THE_MACHINE),
    ("var/lib/systemd/coredump", DROP, OF_THE_MACHINE),
    ("var/lib/systemd/pstore", DROP, OF_THE_MACHINE),
    ("var/lib/systemd/network", DROP, OF_THE_MACHINE),
    ("var/lib/systemd/linger", DROP, OF_THE_MACHINE),
    ("var/lib/private", DROP, OF_THE_MACHINE),
    ("var/lib/machines", DROP, OF_THE_MACHINE),
    ("var/lib/portables", DROP, OF_THE_MACHINE),
    ("var/lib/lastlog", DROP, "what was logged here"),
    ("var/lib/wtmpdb", DROP, "what was logged here"),
    ("var/lib/condor/spool", DROP, OF_THE_MACHINE),
    ("var/lib/condor/execute", DROP, OF_THE_MACHINE),
)
# What triggers of desktop-file-utils and shared-mime-info make of the files of all packages. It is too much for each glue to hold it once more where nothing of it is
# another, so a module keeps what it has of it. Modules may differ in it, for the triggers make it anew when they are joined.
BY_TRIGGERS = (
    "usr/share/applications/mimeinfo.cache",
    *(f"usr/share/mime/{name}" for name in ("XMLnamespaces", "aliases", "generic-icons", "globs", "globs2", "icons", "magic", "subclasses", "treemagic", "types",
                                            "version")),
    # Of each type of file. No group of types begins so; packages/ is what packages bring.
    "usr/share/mime/[!p]*/*.xml",
)
MOST_ENTRIES = 200_000
MOST_BYTES = 4 * 1024 ** 3
"""What one module may hold."""
INFO = "var/lib/dpkg/info/"
"""Here each package has files of its own, which layers join."""


def held_back(path: str) -> tuple[str, str] | None:
    """What becomes of a path, and why; None for one that a module may hold."""
    for pattern, fate, why in (*HELD_BACK, *LEFT):
        if matches(path, pattern):
            return fate, why
    return None


def is_by_triggers(path: str) -> bool:
    """Whether triggers make it anew of what all modules have."""
    return any(matches(path, pattern) for pattern in BY_TRIGGERS)


def matches(path: str, pattern: str) -> bool:
    """Whether a path is what the pattern names, or below it."""
    return path == pattern or path.startswith(pattern + "/") or ("*" in pattern and (fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, pattern + "/*")))
