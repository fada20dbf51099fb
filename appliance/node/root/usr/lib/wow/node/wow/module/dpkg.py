"""dpkg's files as fragments: what a module's packages add to them, and how they are joined again (deb-status is as in dpkg(1), dpkg-query(1))."""
import re

from wow.lib.errors import WowError

INSTALLED = ("install ok installed", "hold ok installed")


def stanzas(text: str) -> dict[str, str]:
    """{package: its stanza} of status or extended_states."""
    found = {}
    for stanza in re.split(r"\n\n+", text.strip("\n")):
        if stanza.strip():
            found[field(stanza, "Package")] = stanza
    return found


def field(stanza: str, name: str) -> str:
    """A field's value, "" if it is not there."""
    found = re.search(rf"^{name}: *(.*)$", stanza, re.MULTILINE)
    return found[1] if found else ""


def added(was: str, now: str) -> tuple[dict[str, str], list[str]]:
    """({package: stanza} of the packages that the layers below have not, sentences on what cannot be published)."""
    old, new = stanzas(was), stanzas(now)
    wrong = [f"the package {name} of the layers below was removed. Install it again: apt-get install {name}" for name in sorted(set(old) - set(new))]
    found = {}
    for name, stanza in sorted(new.items()):
        status, version = field(stanza, "Status"), field(stanza, "Version")
        if name in old:
            before = field(old[name], "Version")
            if status not in INSTALLED and field(old[name], "Status") in INSTALLED:
                wrong.append(f"the package {name} of the layers below was removed ({status}). Install it again: apt-get install {name}")
            elif version != before:
                wrong.append(f"the package {name} is here in version {version}, below in {before}: it comes with the base, and would hide its next update. "
                             f"Develop on a newer base; or go back: apt-get install --allow-downgrades {name}={before}, or by its file of "
                             f"https://snapshot.debian.org/binary/{name}/ where Debian has that no more")
        elif status in INSTALLED:
            found[name] = stanza
        elif status.endswith("config-files") or status.endswith("not-installed"):
            wrong.append(f"the package {name} was removed and left its configuration. Take that away, too: dpkg --purge {name}")
        else:
            wrong.append(f"the package {name} is half installed ({status}). Finish it: dpkg --configure -a")
    return found, wrong


def join(was: str, more: dict[str, dict[str, str]]) -> str:
    """A status with modules' packages. more: {module: {package: stanza}}. Of a package that the layers below have, too, the newer version counts, as where dpkg
    upgrades; what they have in the same version stays. WowError for one package in two versions in two modules."""
    below = stanzas(was)
    joined, owner = dict(below), dict[str, str]()
    for module, packages in more.items():
        for name, stanza in packages.items():
            version = field(stanza, "Version")
            if name in owner and field(more[owner[name]][name], "Version") != version:
                raise WowError(f"the package {name} is {field(more[owner[name]][name], 'Version')} in the module {owner[name]}, and {version} in the module "
                               f"{module}: a machine can have one of them", "Publish the module anew, over a base and beside modules with that version")
            owner.setdefault(name, module)
            if name not in below or is_newer(version, field(below[name], "Version")):
                joined[name] = stanza
    return text_of(joined)


def is_newer(version: str, other: str) -> bool:
    """Whether a version of a package comes after another one, as dpkg orders them (deb-version(7))."""
    return _key(version) > _key(other)


def _key(version: str) -> list[list[tuple[int, ...]]]:
    """What orders versions: of epoch, upstream's version and revision the parts that are no digits and those that are, by turns."""
    epoch, colon, rest = version.rpartition(":")
    upstream, dash, revision = rest.rpartition("-")
    return [_parts(epoch if colon else "0"), _parts(upstream if dash else revision), _parts(revision if dash else "0")]


def _parts(text: str) -> list[tuple[int, ...]]:
    """A tilde comes before the end, the end before a letter, a letter before all else."""
    found: list[tuple[int, ...]] = []
    for words, digits in re.findall(r"([^0-9]*)([0-9]*)", text):
        found += [tuple(-1 if one == "~" else ord(one) + 256 * (not one.isalpha()) for one in words) + (0,), (int(digits or 0),)]
    return found


def paths(listed: str) -> set[str]:
    """The paths in a package's list (NAME.list), without their first slash and as they stand with /usr merged."""
    return {re.sub("^(bin|sbin|lib|lib64)/", r"usr/\1/", line.lstrip("/")) for line in listed.splitlines()} - {"", "."}


def text_of(found: dict[str, str]) -> str:
    """Stanzas as a file, in the order that dpkg writes."""
    return "".join(f"{found[name]}\n\n" for name in sorted(found))


def records(text: str) -> list[str]:
    """The entries of `diversions`: three lines each."""
    lines = text.splitlines()
    return ["\n".join(lines[at:at + 3]) for at in range(0, len(lines), 3)]


def owner_of(info: str) -> str:
    """The package of a file in dpkg's info folder: libc6:amd64.list is libc6's."""
    return info.rpartition(".")[0].partition(":")[0]
