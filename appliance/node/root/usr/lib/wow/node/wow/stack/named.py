"""Which origins this machine asks: those of pool.conf, and behind them those that the pool's CA signed in a notice of kind 6 (`wow-ca origins`). wow-origins.service
opens the fence for their ports, and shuts it again; wow-stack has it do so before it fetches anything."""
from wow.lib import agreed, files, paths, system
from wow.lib.origin import Origin, is_origin
from wow.stack import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

NOTICE = f"{paths.STATE}/notice-6"
WORD = "origin "
SERVICE, SOON = "wow-origins.service", 60.0
"""What opens the fence, and seconds that it may take in an emulated guest."""


def signed(path: str = "") -> list[str]:
    """Those of the newest notice that is here; none where there is none, where what is there is none, and where the disk cannot read it. ipopd has verified who signed
    it."""
    try:
        with open(path or NOTICE, "rb") as file:
            _, data = text.opened(file.read(text.LARGEST_FILE), agreed.ORIGINS_NOTICE)
    except (OSError, text.NoStack):
        return []
    # By \n alone: splitlines knows other ends of a line.
    first, *lines = data.decode("latin-1").split("\n")
    found = [line.removeprefix(WORD) for line in lines[:-1] if line.startswith(WORD)]
    is_whole = first == agreed.ORIGINS_HEAD and len(found) == len(lines) - 1 and not lines[-1]
    return found if is_whole and len(set(found)) == len(found) <= agreed.MOST_ORIGINS and all(map(is_origin, found)) else []


def together(own: "Iterable[str]") -> list[str]:
    """All of them, none twice. own: those of pool.conf, which are asked first."""
    return list(dict.fromkeys((*own, *signed())))


def settle(own: "Iterable[str]") -> list[str]:
    """Has the fence go by what is named now. Those that may be asked: none that the fence does not know. OSError: /run cannot be read."""
    wanted = together(own)
    if known() != wanted:
        code, output = system.run(["systemctl", "start", SERVICE], timeout=SOON)
        if code:
            print(f"the fence does not know the origins: {system.last_line(output)}. Look with: journalctl -u {SERVICE}", flush=True)  # for the journal
    return known()


def known() -> list[str]:
    """Those that the fence and wow-origin@ know."""
    return (files.find(paths.ORIGINS) or "").split()


def main() -> int:
    """wow-origins.service."""
    from wow.config import facts
    from wow.seal import fence
    named = together(facts.read().origins)
    # The list behind the fence, so that it is done anew where power or nft failed between them.
    system.must(["nft", "-f", "-"], fence.origin_ports({Origin(one).port for one in named}))
    files.write(paths.ORIGINS, "".join(f"{one}\n" for one in named))
    return 0
