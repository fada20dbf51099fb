"""module.ini: what a module says of itself, whether its files stand beside it or in the upper layer of a machine."""
import re
from typing import NamedTuple

from wow.lib import ini, modes
from wow.lib.errors import WowError
from wow.module import statoverride
from wow.module.statoverride import RecipeError

KEYS = {"name": True, "version": True, "description": True, "licence": True, "executable": False, "override": False, "requires": False, "conflicts": False,
        "packages": False, "build-packages": False}
SECTIONS = ("module", "statoverride")


class Recipe(NamedTuple):
    """A module.ini that was checked. Paths are without their first slash."""
    name: str
    version: str
    description: str
    licence: str
    executable: list[str]
    override: list[str]
    requires: list[str]
    conflicts: list[str]
    packages: list[str]
    build_packages: list[str]
    statoverride: list[statoverride.Entry]


def read(file: str) -> Recipe:
    """The checked recipe. RecipeError says what is wrong with it."""
    try:
        with open(file, "rb") as source:
            sections = ini.parse(source.read(), file)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise RecipeError(f"{file}: no such file; a module is a folder with module.ini and root/ (see modules/tutorial)") from None
    except WowError as error:
        raise RecipeError(str(error)) from error
    for section in sections:
        if section not in SECTIONS:
            raise RecipeError(f"{file}: unknown section [{section}]; there are [{'] and ['.join(SECTIONS)}]")
    values = {key: value for key, (value, _) in sections.get("module", {}).items()}
    for key in values:
        if key not in KEYS:
            raise RecipeError(f"{file}: unknown key {key}; known are {', '.join(KEYS)}")
    for key, required in KEYS.items():
        if required and not values.get(key):
            raise RecipeError(f"{file}: {key} is missing; add `{key} = ...` to [module]")
    if not modes.is_name(values["name"]):
        raise RecipeError(f"{file}: name = {values['name']}: use 1 to 32 of a-z, 0-9 and hyphens, as in a host name")
    if values["name"] in modes.TAKEN:
        raise RecipeError(f"{file}: name = {values['name']}: this is the name of a layer that every image has; take another")
    if not re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z.+~-]*", values["version"]):
        raise RecipeError(f"{file}: version = {values['version']}: use digits, letters, and . + ~ -, for example 1.0")
    return Recipe(
        values["name"], values["version"], values["description"], values["licence"], values.get("executable", "").split(),
        [statoverride.path_of(word, f"{file}: override") for word in values.get("override", "").split()],
        _modules(values, "requires", file), _modules(values, "conflicts", file), _packages(values, "packages", file), _packages(values, "build-packages", file),
        statoverride.read({key: value for key, (value, _) in sections.get("statoverride", {}).items()}, f"{file}: [statoverride]"))


def _packages(values: dict[str, str], key: str, file: str) -> list[str]:
    """Names of Debian packages (Debian policy 5.6.1)."""
    names = values.get(key, "").split()
    for name in names:
        if not re.fullmatch("[a-z0-9][a-z0-9.+-]+", name):
            raise RecipeError(f"{file}: {key} = {name}: is no name of a Debian package; they have small letters, digits, and . + -, with blanks between")
    return sorted(names)


def _modules(values: dict[str, str], key: str, file: str) -> list[str]:
    """Names of other modules."""
    names = values.get(key, "").split()
    for name in names:
        if not modes.is_name(name) or name in (*modes.TAKEN, values["name"]):
            raise RecipeError(f"{file}: {key} = {name}: is the name of no other module; names have 1 to 32 of a-z, 0-9 and hyphens, and blanks between")
    return sorted(names)
