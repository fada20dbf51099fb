"""Has wow-renew look at once when the machine's certificate ends while it runs: it has ipopd read node.pem again, else has the machine join anew, which asks for another
one as long as it must. Its timer would have it look within two hours, and does so where this comes to nothing."""
from wow.lib import control, system

EVERY = 30.0
"""Seconds from one question to ipopd to the next."""


class Lapsed:
    """Rounds of every machine."""

    def __init__(self) -> None:
        self._due = float("-inf")
        self._was_certified = True

    def round(self, now: float) -> None:
        """now: seconds, of a clock that nobody sets."""
        if now < self._due:
            return
        self._due = now + EVERY
        status = control.status()
        is_certified = status["open"] or status["certified"]
        if self._was_certified and not is_certified:
            system.systemctl("start", "--no-block", "wow-renew.service")
        self._was_certified = is_certified
