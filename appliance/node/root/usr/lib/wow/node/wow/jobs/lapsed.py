"""Has wow-renew look at once when the machine's certificate ends while it runs: it has ipopd read node.pem again, else has the machine join anew, which asks for another
one as long as it must. Its timer would have it look within two hours, and does so where this comes to nothing."""
from wow.lib import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from wow.lib.answers import Status


class Lapsed:
    """Rounds of every machine. said: what ipopd said last of this machine, None if it said nothing yet."""

    def __init__(self, said: "Callable[[], Status | None]") -> None:
        self._said = said
        self._was_certified = True

    def round(self, _: float) -> None:
        """Looks, without asking anybody."""
        status = self._said()
        is_certified = status is None or status["open"] or status["certified"]
        if self._was_certified and not is_certified:
            system.systemctl("start", "--no-block", "wow-renew.service")
        self._was_certified = is_certified
