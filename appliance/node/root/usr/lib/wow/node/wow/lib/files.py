"""Writing files so that a power cut or a full disk never leaves half of one."""
import os


def write(path: str, text: str | bytes, mode: int = 0o644, owner: tuple[int, int] | None = None, sync: bool = False) -> None:
    """Replaces a file as a whole. owner: user and group. sync: on the disk before this returns (state; not needed under /run). OSError says
    why not."""
    data = text if isinstance(text, bytes) else text.encode()
    temporary = f"{path}.new"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            if owner is not None:
                os.fchown(file.fileno(), *owner)
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        os.rename(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    if sync:
        sync_folder(path)


def sync_folder(path: str) -> None:
    """Has the disk know what became of a name: the folder in which it stands is on the disk when this returns."""
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_if_changed(path: str, text: str, mode: int = 0o644) -> bool:
    """Like write, but leaves an equal file alone; whether it wrote."""
    if find(path) == text:
        return False
    write(path, text, mode)
    return True


def find(path: str) -> str | None:
    """The text of a file, None if there is none. What a disk spoilt may be no UTF-8: it is for whoever asks to see that it makes no sense."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return None


def find_readable(path: str) -> str | None:
    """The same, None also for one that the disk cannot read: whoever writes it anew replaces it by a name, which needs nothing of the old one."""
    try:
        return find(path)
    except OSError:
        return None


def read(path: str) -> str:
    """The text of a file, "" if there is none."""
    return find(path) or ""


def digest(path: str) -> str:
    """SHA-256 of a file, in hexadecimal. It may have gigabytes, so no more than a piece of it is in memory."""
    # Imported here: it loads OpenSSL, and most who import this module want no digest.
    import hashlib
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
