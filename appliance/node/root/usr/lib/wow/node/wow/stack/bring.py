"""wow-stack: has this machine take the modules that the pool's CA published, at its next start. Reads the notice that ipopd keeps, fetches the layers that are not here,
and leaves the stack for the initrd. What keeps it is told in `wow status` and by the doctor; systemd starts it again, later each time."""
import os
import time

from wow.config import facts
from wow.lib import agreed, control, files, modes, paths, system
from wow.lib.errors import WowError
from wow.stack import damage, growing, kept, named, term, text, told
from wow.stack.systems import ARMED, Systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from wow.config.facts import Facts
    from wow.stack.kept import Place
    from wow.stack.peers import Way
    from wow.stack.text import Layer, Stack

NOTICE = kept.NOTICE
ROOM = 256 << 20
"""Bytes of home that stay free beside the layers, for people and jobs."""
SPREAD = 20.0
"""Seconds within which machines that hear of a stack at one time begin to ask. Nobody knows here how many they are; to too many the CA says when to come again."""
TROUBLE = f"{paths.RUN}/system.trouble"
"""What wow-system ran into, and what to do."""
REPLACER, REPLACES = "wow-system.service", 900.0
"""What writes another system to the disk, and seconds that this may take in an emulated guest."""
MOST_WAITS, LATER = 30, 1.5
"""How often the CA may say so in one run; a machine comes back up to so many times later than it said, each at another time."""


class Newer(Exception):
    """Another stack was published meanwhile."""


def main() -> int:
    """Exit code; systemd starts it again after any but 0."""
    while True:
        try:
            # Also where nothing is to be fetched, nor any notice there: what the CA took back is shut, and so is what a former key named.
            named.settle(facts.read().origins)
            return once(kept.Place(), reach)
        except Newer:
            pass


def once(place: "Place", way: "Callable[[], Way]", notice: str = NOTICE, sleep: "Callable[[float], None]" = time.sleep, systems: Systems | None = None,
         write: "Callable[[], None] | None" = None) -> int:
    """Acts on what is published now. Exit code. way: finds the machine with the CA, when it is needed; write: has wow-system do its part."""
    newest = term.read()
    if not place.own():
        return 0
    systems, write, stack = systems or Systems(), write or replace, None
    try:
        if not _note(place, systems, write) and growing.is_wanted(systems):
            write()
        data = read(notice)
        if data is None and newest is None:
            # Another key signs from now on, by whose word nothing was published yet. What was taken stays, and nothing more is told or waited for.
            told.forget()
            return 0
        stack = text.notice(data) if data is not None else None
        term.check(stack, stack is not None and place.has_taken(stack), newest)
        if data is None or stack is None:
            return 0
        return _act(place, stack, way, (notice, data), sleep, systems, write)
    except text.NoStack as error:
        told.leave("no-stack", None, f"what the pool published as a stack of modules is none ({error})", "The pool's administrator publishes it anew: wow-ca publish")
        return 0
    except WowError as error:
        told.leave(error.code or "trouble", stack, error.what, error.todo)
        print(error, flush=True)  # for the journal
        return 1
    except OSError as error:
        told.leave("trouble", stack, f"home cannot be used: {error.strerror or error}", "It is tried again by itself. Look with: df -h /home; journalctl -u wow-stack")
        print(error, flush=True)
        return 1


def _note(place: "Place", systems: Systems, write: "Callable[[], None]") -> bool:
    """Has GRUB stay with a trial that brought the machine back; whether that was done now. WowError, OSError."""
    if systems.is_noted or not systems.is_proven():
        return False
    write()
    systems.is_noted = True
    place.find_good()
    return True


def read(path: str) -> bytes | None:
    """The notice's file; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read(text.LARGEST_FILE)
    except FileNotFoundError:
        return None


def replace() -> None:
    """Has wow-system do its part, and waits for it. WowError."""
    code, output = system.run(["systemctl", "start", REPLACER], timeout=REPLACES)
    what, _, todo = (files.find(TROUBLE) or "").partition("\n")
    if code and not what:
        raise WowError(system.last_line(output) or f"ended with {code}", f"{told.AGAIN}. Look with: journalctl -u {REPLACER}", REPLACER)
    if code:
        raise WowError(what, todo.strip())


def _act(place: "Place", stack: "Stack", way: "Callable[[], Way]", published: tuple[str, bytes], sleep: "Callable[[float], None]", systems: Systems,
         write: "Callable[[], None]") -> int:
    is_other = bool(stack.system) and not systems.is_running(stack)
    if not is_other and os.path.exists(ARMED):
        write()
    if modes.read()[0] == modes.EPHEMERAL:
        told.leave("ephemeral", stack, "this start keeps nothing, so it has its image's modules", "")
        return 0
    if stack.elsewhere:
        told.leave("other-architecture", stack, f"the pool's stack {stack.number} is for {' and '.join(stack.elsewhere)}, and has nothing for this machine, which is "
                   f"{text.machine()} and stays as it is", f"The pool's administrator publishes one for {text.machine()}, too: wow image stack --beside")
        return 0
    place.open()
    is_over = is_other and systems.is_over(place, stack, ARMED)
    if (is_over or not is_other) and not _mend(place, stack, way, published, sleep, systems, write):
        return 0
    if is_over:
        place.tidy()
        told.leave("given-up", stack, f"the system of the pool's stack {stack.number} was given up: after 4 starts with it this machine was not back in its pool",
                   "This machine goes on with the system of before. The pool's administrator publishes the stack anew, or another one: wow-ca publish")
        return 0
    if is_other and not os.path.exists(kept.SETTLED):
        # What would be written over is what the machine falls back to.
        told.leave("trial", stack, "", "")
        return 0
    if not is_other and (not stack.base or not place.is_over(stack)):
        if stack.base:
            # A machine that was off while the pool published that system cannot come to it any more. Nor is it to lose what it has.
            place.keep_own()
            place.tidy()
            told.leave("other-base", stack, f"the pool's stack {stack.number} was made over another release than this machine's system, which keeps the modules it has",
                       "The pool's administrator has the stack carry its system (wow image stack --system); or take a fresh image of that release")
        else:
            place.take_off()
            place.tidy()
            told.leave("image" if place.started().get("source", "image") == "image" else "off", stack, "", "")
        return 0
    place.tidy(stack)
    missing = systems.wanting(place, stack)
    if missing:
        _bring(place, stack, missing, way, lambda: _look(place, systems, published, write), sleep, systems)
    if is_other:
        write()
        told.leave("next", stack, "", "", is_system=True)
        place.tidy(text.Stack(stack.number, deltas=stack.deltas))
        return 0
    place.take(stack)
    place.tidy(text.Stack(stack.number, deltas=stack.deltas))
    told.leave("failed" if place.is_given_up() else "taken" if place.is_started() else "next", stack, "", "")
    return 0


def _mend(place: "Place", stack: "Stack", way: "Callable[[], Way]", published: tuple[str, bytes], sleep: "Callable[[float], None]", systems: Systems,
          write: "Callable[[], None]") -> bool:
    """Has wow-system mend what the disk lost of the running system, or the initrd leave it at the next start. Whether there is nothing more to do about it."""
    lost = damage.lost(systems)
    if not lost or systems.is_trial:
        return True
    there = {file.digest: file for file in (*stack.system, *stack.layers)}
    wanted = [digest for digest in lost if not damage.source(digest, place, systems)]
    if all(digest in there for digest in wanted):
        if wanted:
            _bring(place, stack, [there[digest] for digest in wanted], way, lambda: _look(place, systems, published, write), sleep, systems)
        try:
            write()
        except (WowError, OSError) as error:
            # A disk that fails may take longer than anybody waits.
            if not damage.lost(systems):
                raise
            print(error, flush=True)  # for the journal
        if not damage.lost(systems):
            return True
    # What was fetched stays: it is tried again, or written as the system that was left.
    place.tidy(stack)
    # The initrd reads the system alone: a module of the image is no reason to leave it.
    if systems.has_spare and systems.files(systems.running).keys() & lost.keys():
        damage.ask_to_look(place)
        told.leave("damaged", stack, "", "")
    else:
        told.leave("rotten", stack, "", "")
    return False


def _bring(place: "Place", stack: "Stack", missing: "list[Layer]", way: "Callable[[], Way]", look: "Callable[[], None]", sleep: "Callable[[float], None]",
           systems: Systems) -> None:
    """Fetches what is not here. look: is called before each file, and after each wait."""
    # What these load takes longer than all else here, and most looks find nothing to fetch.
    import random

    from wow.stack import fetch, shortened
    look_for_room(place, missing)
    told.leave("fetching", stack, "", "")
    sleep(random.uniform(0, SPREAD))
    there, waits = way(), 0
    for layer in missing:
        change = _change(place, stack, layer, systems)
        while True:
            look()
            try:
                shortened.layer(there, layer, change, place.layers)
                break
            except fetch.Busy as busy:
                waits += 1
                if waits > MOST_WAITS:
                    raise WowError("the CA is busy serving others, and so are machines that have it", told.AGAIN, code="away") from None
                sleep(busy.seconds * random.uniform(1, LATER))


def _look(place: "Place", systems: Systems, published: tuple[str, bytes], write: "Callable[[], None]") -> None:
    """While files come. Newer; WowError where the owner lends no more of the line this month, OSError."""
    from wow.stack import lent
    # Files may take hours to come. A machine that is switched off meanwhile shall not lose its trial.
    _note(place, systems, write)
    if read(published[0]) != published[1]:
        raise Newer
    lent.check()


def _change(place: "Place", stack: "Stack", layer: "Layer", systems: Systems) -> "tuple[Layer, str] | None":
    """The smallest delta for a layer of which the former file is here, and where that is; None where there is none, or the whole is begun already."""
    here = {**systems.files(systems.other), **systems.files(systems.running)}
    found = [(one, here.get(one.from_) or f"{place.layers}/{one.from_}") for one in stack.deltas if one.file == layer.digest]
    found = [(one, path) for one, path in found if kept.size_of(path)]
    if not found or any(map(kept.size_of, kept.parts(place.layers, layer.digest))):
        return None
    one, path = min(found, key=lambda each: each[0].size)
    return text.Layer(agreed.DELTA_WORD, layer.name, one.size, one.digest), path


def look_for_room(place: "Place", missing: "list[Layer]") -> None:
    """WowError where home has no room for the layers."""
    needed = sum(layer.size - max(map(kept.size_of, kept.parts(place.layers, layer.digest)), default=0) for layer in missing)
    status = os.statvfs(place.home)
    free = status.f_bavail * status.f_frsize
    if needed + ROOM > free:
        raise WowError(f"home has no room for the pool's modules: {needed >> 20} MiB are to come and {ROOM >> 20} MiB stay free, but {free >> 20} MiB are there",
                       "Free some room there (df -h /home), or make the disk larger", "/home", code="no-room")


def reach() -> "Way":
    """The way to the origins, to the machine with the CA, and to those that it names. WowError where there is none."""
    from wow.stack import fetch, origins, peers
    pool: Facts = facts.read()
    status = control.status()
    own = status["address"]
    if pool.open or not own or not status["certified"]:
        raise WowError("this machine has no certificate yet", told.AGAIN, code="away")
    there = named.known()
    try:
        ca = fetch.Source(control.ask("resolve", name=pool.authority)["address"], agreed.LAYERS_PORT, pool.authority, own)
    except WowError as error:
        # Nobody need be there but an origin.
        if not there:
            raise
        ca = peers.Nowhere(error.what, pool.authority, own)
    return peers.Way(ca, own, origins=origins.Origins(there))
