"""Until when the pool's stack is the newest: its term, which the CA renews each day in a notice of kind 4. A machine that hears nothing of it for two weeks says so,
and takes no stack newly that may have been replaced long ago (docs/decisions/0078). The clock is that of the machine, which ipopd keeps."""
import time

from wow.lib import agreed, paths
from wow.lib.errors import WowError
from wow.stack import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.stack.text import Stack

NOTICE = f"{paths.STATE}/notice-4"
LARGEST = 64
"""Bytes of the text."""
DAY = 86400
"""Seconds by which clocks may differ."""


class Term:
    """stack: the number of the stack that was the newest when this was signed; until: the Unix second up to which it is taken for that; number: the notice's."""

    __slots__ = ("stack", "until", "number")

    def __init__(self, stack: int, until: int, number: int = 0) -> None:
        self.stack, self.until, self.number = stack, until, number


def read(path: str = "") -> Term | None:
    """The newest term that is here; None where there is none, as of a CA of an earlier release, where what is there is none, and where the disk cannot read it: ipopd
    writes the next one over it."""
    try:
        with open(path or NOTICE, "rb") as file:
            number, data = text.opened(file.read(text.LARGEST_FILE), agreed.TERM_NOTICE)
    except (OSError, text.NoStack):
        return None
    # By \n alone: splitlines knows other ends of a line.
    lines = data[:LARGEST + 1].decode("latin-1").split("\n")
    if len(data) > LARGEST or len(lines) != 4 or lines[0] != agreed.TERM_HEAD or lines[3]:
        return None
    stack, end = (_number(line, word, most) for line, word, most in ((lines[1], "stack", (1 << 64) - 1), (lines[2], "until", agreed.LATEST_RESTART)))
    return Term(stack, end, number) if stack and end else None


def _number(line: str, word: str, most: int) -> int:
    """What stands behind a line's word; 0 where it is no number from 1 to most."""
    first, _, digits = line.partition(" ")
    return int(digits) if first == word and text.is_number(digits, most) else 0


def end_of(stack: "Stack", term: Term | None) -> int:
    """The second up to which a stack is taken for the newest. Without a term of its own it is for as long as one lasts: its number is when it was signed. So it does not
    help to keep the term from a machine."""
    return term.until if term is not None and term.stack == stack.number else min(stack.number + agreed.TERM_LIFE, agreed.LATEST_RESTART)


def clock() -> float:
    """Unix time."""
    return time.time()


def check(stack: "Stack | None", is_taken: bool, term: Term | None) -> None:
    """WowError where a stack is not taken newly: another one was published since, or nobody says any more that there is no other. is_taken: it was taken before, and
    stays."""
    if term is not None and term.stack > (stack.number if stack else 0):
        raise WowError(f"the pool published stack {term.stack}, which has not come to this machine",
                       "It comes within a minute. If it does not, the machines that this one is linked to keep it back: wow peers", code="behind")
    if stack is not None and term is not None and has_lost_count(stack, term):
        raise WowError(f"the manager with the CA counts from an older number: this machine has stack {stack.number}, and refuses each with a lower one",
                       f"The pool's administrator publishes with a higher one: wow-ca publish FOLDER --after {max(stack.number, term.number)}", code="lost-count")
    if stack is not None and not is_taken and clock() >= end_of(stack, term):
        what, todo = ran_out(stack.number, end_of(stack, term))
        raise WowError(f"{what}. It is not taken", todo, code="stale")


def has_lost_count(stack: "Stack", term: Term) -> bool:
    """Whether the CA's folder has forgotten what it signed: its term is of a lower stack, and was signed after this one; or is of a time to come, which a CA that
    remembers it sets right at once. Numbers are Unix seconds. Just after a publication the term is of the stack before, but older than the new one."""
    signed = term.until - agreed.TERM_LIFE
    return term.stack < stack.number and (signed > stack.number or stack.number > clock() + DAY) or signed > clock() + DAY


def ran_out(number: int, second: int) -> tuple[str, str]:
    """(what is wrong, what to do about it) where a stack's time is over."""
    return (f"nobody has said since {time.strftime('%Y-%m-%d', time.gmtime(second - agreed.TERM_LIFE))} that stack {number} is the pool's newest",
            "What runs goes on. The pool's administrator looks whether the manager with the CA runs, and types there: wow-ca stack. "
            f"If that names a lower number: wow-ca publish FOLDER --after {number}. Else somebody keeps its word from this machine, or this machine's clock is "
            "ahead: date")
