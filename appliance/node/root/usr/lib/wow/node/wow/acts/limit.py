"""What the agent does for `wow limit`: looks whether this computer has so much, keeps it (limits/state.py), has the kernel go by it at once, and wakes wow-jobs,
which tells HTCondor."""
import time

from wow.acts import pause as pausing
from wow.agent import allowed
from wow.lib.errors import WowError
from wow.limits import hours, share, state, there, words
from wow.stops import holding, rounds

UNITS = {"percent": "% of one processor", "processors": " processors", "memory": " MB of memory", "disk": " MB of disk", "speed": " kB a second",
         "month": " GB a month"}


def limit(fields: dict[str, str], _: int) -> None:
    """Sets the limits that are named, and leaves the others as they are."""
    if not fields:
        raise WowError("nothing is said to be limited", f"Give one of {', '.join(state.NAMES)}", code=allowed.BAD_REQUEST)
    pausing.must_run_jobs("limit")
    former = pausing.former(state.load, state.Limits, set(fields) == set(state.NAMES))
    values = former.values() | {name: read(name, text) for name, text in fields.items()}
    limits = state.made(values, former.since)
    if limits.held() != former.held():
        limits.since = int(time.time())
    try:
        state.keep(limits)
    except OSError as error:
        raise WowError(f"{state.FILE} cannot be written, so nothing was changed: {error.strerror}", "Make room in /home", code=allowed.FAILED) from None
    try:
        if (limits.hours, limits.month) != (former.hours, former.month):
            rounds.apply(holding.read())
        share.apply(limits.percent)
    except OSError:
        pass  # HTCondor was started anew while the agent runs, which does not see its new groups; wow-jobs does
    pausing.wake()


def read(name: str, text: str) -> int | str | None:
    """A limit's value, None for no limit; WowError for what is none, or more than there is."""
    if text == words.NONE:
        return None
    if name == "hours":
        try:
            return hours.text(hours.read(text))
        except WowError as error:
            raise WowError(error.what, error.todo, code=allowed.BAD_REQUEST) from None
    most = there.most(name)
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise _refused(name, f'"{text[:20]}" is no number', most)
    if int(text) < there.LEAST[name]:
        raise _refused(name, f"{int(text)} is too little" + (" for any job; `wow pause` stops them" if int(text) == 0 else ""), most)
    if int(text) > most:
        raise _refused(name, f"{int(text)} is more than there is", most)
    return int(text)


def _refused(name: str, what: str, most: int) -> WowError:
    return WowError(f"{name}: {what}", f"Give {there.LEAST[name]} to {most}{UNITS[name]}, or {words.NONE} for no limit", code=allowed.BAD_REQUEST)
