"""Debian's alternatives as fragments: the choices that a module's packages add (update-alternatives(1), FILE FORMAT of its source)."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Choice(TypedDict):
        """One program that may stand for a name. `others` are links that go with it: [link, name, path]."""
        link: str
        name: str
        path: str
        priority: int
        others: list[list[str]]


class Group:
    """What stands in a file of /var/lib/dpkg/alternatives."""

    __slots__ = ("mode", "link", "others", "choices")

    def __init__(self, text: str) -> None:
        lines = iter(text.split("\n"))
        self.mode, self.link = next(lines), next(lines)
        self.others: list[tuple[str, str]] = []
        while name := next(lines, ""):
            self.others.append((name, next(lines)))
        self.choices: dict[str, tuple[int, list[str]]] = {}
        while path := next(lines, ""):
            priority = int(next(lines))
            self.choices[path] = priority, [next(lines) for _ in self.others]

    def choice(self, name: str, path: str) -> "Choice":
        """One choice, whole."""
        priority, paths = self.choices[path]
        return {"link": self.link, "name": name, "path": path, "priority": priority,
                "others": [[link, other, target] for (other, link), target in zip(self.others, paths) if target]}

    def links(self) -> set[str]:
        """The paths that it makes links, without their first slash."""
        return {link.lstrip("/") for link in (self.link, *(link for _, link in self.others))}


def added(was: dict[str, str], now: dict[str, str]) -> "list[Choice]":
    """The choices that the layers below have not. was, now: {name: text of its file}."""
    found = []
    for name, text in sorted(now.items()):
        group = Group(text)
        known = Group(was[name]).choices if name in was else {}
        found += [group.choice(name, path) for path in sorted(group.choices) if known.get(path) != group.choices[path]]
    return found


def chosen(was: dict[str, str], now: dict[str, str], leads: dict[str, str]) -> dict[str, str]:
    """{name: path} where somebody chose by hand, which they had not below. leads: {name: where /etc/alternatives/NAME leads}."""
    return {name: leads[name] for name, text in sorted(now.items())
            if Group(text).mode == "manual" and leads.get(name) in Group(text).choices and was.get(name, "").split("\n")[0] != "manual"}


def commands(choices: "list[Choice]", by_hand: dict[str, str]) -> list[list[str]]:
    """What makes them anew on a system."""
    made = []
    for one in choices:
        words = ["update-alternatives", "--quiet", "--install", one["link"], one["name"], one["path"], str(one["priority"])]
        for link, name, path in one["others"]:
            words += ["--slave", link, name, path]
        made.append(words)
    return made + [["update-alternatives", "--quiet", "--set", name, path] for name, path in sorted(by_hand.items())]
