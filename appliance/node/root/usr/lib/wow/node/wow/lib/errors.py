"""The one exception that people see: it names the file, the key, what is wrong and what to do."""
from wow.lib import advice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


class WowError(Exception):
    """file and key say where, what says what is wrong, todo what to do about it; code is for programs, where another program gave one."""

    def __init__(self, what: str, todo: str, file: str = "", key: str = "", code: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.todo = advice.whole(todo)
        self.file = file
        self.key = key
        self.code = code

    def __str__(self) -> str:
        where = ": ".join(part for part in (self.file, self.key) if part)
        return f"{where + ': ' if where else ''}{self.what}" + (f". {self.todo}" if self.todo else "")


def trouble(load: "Callable[[], object]") -> str | None:
    """What is wrong with a file that is loaded so; None if nothing is."""
    try:
        load()
    except WowError as error:
        return f"{error.file} {error.what}"
    return None
