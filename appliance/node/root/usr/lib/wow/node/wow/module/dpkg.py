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
                             f"Go back: apt-get install --allow-downgrades {name}={before}; or develop on a newer base")
        elif status in INSTALLED:
            found[name] = stanza
        elif status.endswith("config-files") or status.endswith("not-installed"):
            wrong.append(f"the package {name} was removed and left its configuration. Take that away, too: dpkg --purge {name}")
        else:
            wrong.append(f"the package {name} is half installed ({status}). Finish it: dpkg --configure -a")
    return found, wrong


def join(was: str, more: dict[str, dict[str, str]]) -> str:
    """A status with modules' packages. more: {module: {package: stanza}}. WowError for one package in two versions."""
    joined, owner = stanzas(was), dict.fromkeys(stanzas(was), "the base")
    for module, packages in more.items():
        for name, stanza in packages.items():
            if name in joined and field(joined[name], "Version") != field(stanza, "Version"):
                raise WowError(f"the package {name} is {field(joined[name], 'Version')} in {owner[name]}, and {field(stanza, 'Version')} in the module {module}: "
                               "a machine can have one of them", "Publish the module anew, over a base and beside modules with that version")
            if name not in joined:
                joined[name], owner[name] = stanza, f"the module {module}"
    return text_of(joined)


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
