"""What the doctor found: one thing each."""
from wow.lib import advice

OK, WRONG, UNKNOWN = "ok", "wrong", "unknown"


class Finding:
    """check names what was looked at; code what was found, for programs (docs/reference/findings.md); what says how it is, in a sentence; todo what to do
    about it."""

    def __init__(self, check: str, state: str, what: str, todo: str = "", code: str = "") -> None:
        self.check, self.state, self.what, self.todo = check, state, what, advice.whole(todo)
        self.code = code or check.lower().replace(".", "-").replace(" ", "-")

    def facts(self) -> dict[str, str]:
        """For JSON."""
        return {"check": self.check, "code": self.code, "state": self.state, "what": self.what, "todo": self.todo}

    def line(self) -> str:
        """For people."""
        return f"{self.state:7}  {self.check:11}  {self.what}" + (f" {self.todo}" if self.todo else "")


def ok(check: str, what: str, code: str = "") -> Finding:
    """All is well."""
    return Finding(check, OK, what, code=code)


def wrong(check: str, what: str, todo: str, code: str = "") -> Finding:
    """Something is to be done."""
    return Finding(check, WRONG, what, todo, code)


def unknown(check: str, what: str, todo: str = "", code: str = "") -> Finding:
    """It could not be found out."""
    return Finding(check, UNKNOWN, what, todo, code)
