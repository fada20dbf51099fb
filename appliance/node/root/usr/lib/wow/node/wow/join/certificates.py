"""This machine's certificate as ipopd knows it."""
import time

from wow.lib import control, der, files, moments, paths, pem
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import Certificate, Status

STAMP = "wow pool stamp, where the pool was made; then start this machine with its new WOWCFG disk"
"""What helps a manager whose certificate ran out."""


def is_valid(status: "Status", now: float | None = None) -> bool:
    """Whether ipopd holds a certificate for the address that has not run out."""
    certificate = status["certificate"]
    if not status["certified"] or not certificate or certificate["address"] != status["address"]:
        return False
    return seconds_left(certificate, now) > 0


def seconds_left(certificate: "Certificate", now: float | None = None) -> float:
    """How long it is still valid."""
    return moments.rfc3339(certificate["not_after"]) - (time.time() if now is None else now)


def is_ahead() -> bool:
    """Whether node.pem has a certificate that is not valid yet: who signed it had a clock that was ahead."""
    try:
        return der.validity(pem.certificate(files.find_readable(f"{paths.STATE}/node.pem")) or b"")[0] > time.time()
    except ValueError:
        return False


def renew_from(certificate: "Certificate") -> float:
    """From when on the next one is asked for, in seconds since 1970. ipopd says when that is, by the rule that the CA goes by, too."""
    return moments.rfc3339(certificate["renew_from"])


def reread() -> "Status":
    """ipopd's status after it has read node.pem again, which may be another one, or good again where the clock was wrong."""
    try:
        control.ask("reload")
    except WowError:
        pass  # its status says that there is none
    return control.status()


def wait(address: str, patience: float = 30.0) -> "Status":
    """ipopd's status when it has taken up the new certificate; WowError if it has not within `patience` seconds."""
    limit = time.monotonic() + patience
    while True:
        status = control.status()
        if is_valid(status) and status["address"] == address:
            return status
        if time.monotonic() > limit:
            raise WowError("ipopd does not take up the new certificate", "Look with: journalctl -u ipopd", f"{paths.STATE}/node.pem")
        control.ask("reload")
        time.sleep(0.5)
