"""The configuration disk: a small FAT file system labelled WOWCFG."""

import pathlib
import subprocess

LABEL = "WOWCFG"
POOL_CONF_LIMIT = 64 * 1024
MIB = 1024 * 1024
# What the initrd reads at most (appliance/initrd/config.sh).
CONTENT_LIMIT = 16 * MIB


class StampError(Exception):
    """What is wrong with the user's input, and what to do."""


def content(pool_conf, manager=None):
    """Checks what goes on the disk and returns its size in bytes. `manager` is the folder with node.key, node.pem and ca/."""
    if not pool_conf.is_file():
        raise StampError(f"{pool_conf}: no such file; give the pool.conf that the machines shall read")
    size = pool_conf.stat().st_size
    if size > POOL_CONF_LIMIT:
        raise StampError(f"{pool_conf}: {size} bytes; a pool.conf has at most {POOL_CONF_LIMIT}")
    if b"[pool]" not in pool_conf.read_bytes():
        raise StampError(f"{pool_conf}: no section [pool]; is this a pool.conf? docs/architecture.md lists its keys")
    if manager is not None:
        for name in ("node.key", "node.pem", "ca"):
            if not (manager / name).exists():
                raise StampError(f"{manager}: {name} is missing; give the folder that `wow-ca manager` made")
        size += sum(file.stat().st_size for file in manager.rglob("*") if file.is_file())
    if size > CONTENT_LIMIT:
        raise StampError(f"{pool_conf} and {manager}: {size} bytes together; the machine reads at most {CONTENT_LIMIT}")
    return size


def make(image, pool_conf=None, manager=None):
    """Writes the raw disk `image`, of 1 MiB or what the content needs; without pool_conf an empty one. Returns its size in bytes."""
    used = content(pool_conf, manager) if pool_conf else 0
    size = MIB * max(1, (used * 5 // 4 + 256 * 1024 + MIB - 1) // MIB)
    image = pathlib.Path(image)
    image.unlink(missing_ok=True)
    with open(image, "wb") as file:
        file.truncate(size)
    # It may hold a manager's key.
    image.chmod(0o600)
    subprocess.run(["mkfs.vfat", "--invariant", "-n", LABEL, str(image)], check=True, stdout=subprocess.DEVNULL)
    if pool_conf:
        subprocess.run(["mcopy", "-i", str(image), str(pool_conf), "::/pool.conf"], check=True)
    if manager is not None:
        subprocess.run(["mmd", "-i", str(image), "::/manager"], check=True)
        for entry in sorted(manager.iterdir()):
            if entry.name in ("node.key", "node.pem", "ca"):
                subprocess.run(["mcopy", "-s", "-i", str(image), str(entry), "::/manager/"], check=True)
    return size
