"""What the doctor found: one thing each."""

OK, WRONG, UNKNOWN = "ok", "wrong", "unknown"


class Finding:
    """check names what was looked at; what says how it is, in a sentence; todo what to do about it."""

    def __init__(self, check, state, what, todo=""):
        self.check, self.state, self.what, self.todo = check, state, what, todo

    def facts(self):
        """For JSON."""
        return {"check": self.check, "state": self.state, "what": self.what, "todo": self.todo}

    def line(self):
        """For people."""
        return f"{self.state:7}  {self.check:11}  {self.what}" + (f" {self.todo}" if self.todo else "")


def ok(check, what):
    """All is well."""
    return Finding(check, OK, what)


def wrong(check, what, todo):
    """Something is to be done."""
    return Finding(check, WRONG, what, todo)


def unknown(check, what, todo=""):
    """It could not be found out."""
    return Finding(check, UNKNOWN, what, todo)
