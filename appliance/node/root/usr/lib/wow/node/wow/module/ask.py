"""`wow module diff` and `wow module publish`: what root of a machine in develop mode asks about the module that is being made there."""
import json
import os

from wow.config import users
from wow.lib import files
from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, UsageError
from wow.module import publish, recipe, tell
from wow.module.words import OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class About(TypedDict):
        """about.json."""
        name: str
        base: dict[str, str]

DEVELOP = "/run/wow/develop"
"""What the initrd leaves of a start in develop mode: `upper`, the module's layer, and about.json."""
LAYERS = "/run/layers"
"""Here the initrd mounts the layers, each in a folder named by its number, the lowest first."""


def run(given: Given) -> int:
    """One of the two."""
    verb, *words = given.words
    about, upper = developed(), f"{DEVELOP}/upper"
    people = dict(users.lines(files.read(users.NUMBERS)))
    if verb == "diff":
        if len(words) > 1:
            raise UsageError("one module.ini at most belongs after diff")
        override = recipe.read(words[0]).override if words else []
        with publish.opened(upper, lowers(LAYERS), override, about["name"], people) as found:
            print(json.dumps(tell.facts(found)) if given.has(JSON) else "\n".join(tell.lines(found)))
        return 0
    if len(words) != 1:
        raise UsageError("name the module.ini that says what the module is")
    made = recipe.read(words[0])
    if made.name != about["name"]:
        raise WowError(f"name = {made.name}, but this machine develops {about['name']}", f"Correct the name, or start the other: wow module develop {made.name}",
                       words[0], "[module]")
    out = given.get(OUT, f"{made.name}.tar")
    with publish.opened(upper, lowers(LAYERS), made.override, made.name, people) as found:
        manifest = publish.write(found, made, about["base"], out)
    digest = files.digest(out)
    if given.has(JSON):
        print(json.dumps({"file": out, "sha256": digest, "size_bytes": os.path.getsize(out), "manifest": manifest}))
    else:
        print(f"{out}: {made.name} {made.version}, {tell.summary(found)}; sha256 {digest}\n"
              f"Take it to a clone of the repository, into modules/{made.name}.tar; make image makes a layer of it. It is not signed.")
    return 0


def developed() -> "About":
    """about.json of this start. WowError where it is no start in develop mode."""
    text = files.find(f"{DEVELOP}/about.json")
    if text is None:
        raise WowError("this machine does not develop a module", "Start it so: wow module develop NAME", f"{DEVELOP}/about.json")
    if os.geteuid() != 0:
        raise WowError("only root sees the whole module", "Ask as root, who has a login in this mode")
    about: "About" = json.loads(text)
    return about


def lowers(folder: str) -> list[str]:
    """The layers below the module, top first."""
    numbers = sorted((int(name) for name in os.listdir(folder) if name.isdigit()), reverse=True)
    return [f"{folder}/{number}" for number in numbers]
