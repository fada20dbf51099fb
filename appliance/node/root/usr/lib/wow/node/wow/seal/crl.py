"""The CA's list of revoked certificates on its way from ipopd's notice to charon's folder."""
import os

from wow.lib import files, paths

NOTICE = f"{paths.STATE}/notice-1"
LIST = "/etc/swanctl/x509crl/pool.crl"
PENDING = f"{paths.RUN}/revoked.pending"
"""There while a list stands in charon's folder that has not ended what it is to end, whoever put it there."""


def install(source: str = NOTICE, target: str = LIST, pending: str = PENDING) -> bool:
    """Puts the list where swanctl finds it; whether it is another one than before. ipopd has verified it. pending: a file that is made before a new one is there."""
    try:
        with open(source, "rb") as file:
            crl = body(file.read())
    except (OSError, ValueError):
        return False  # ipopd writes it anew when the CA does
    try:
        with open(target, "rb") as file:
            if file.read() == crl:
                return False
    except FileNotFoundError:
        os.makedirs(os.path.dirname(target), exist_ok=True)
    files.write(pending, "")
    files.write(target, crl)
    return True


def body(notice: bytes) -> bytes:
    """What a notice says (docs/protocol.md, "Notices"); ValueError if it is none."""
    if notice[:4] != b"WOWN" or len(notice) < 15 or len(notice) <= 14 + notice[13]:
        raise ValueError("is no notice")
    return notice[14 + notice[13]:]
