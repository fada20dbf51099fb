"""The one exception that people see: it names the file, the key, what is wrong and what to do."""


class WowError(Exception):
    """file and key say where, what says what is wrong, todo what to do about it."""

    def __init__(self, what, todo, file="", key=""):
        super().__init__(what)
        self.what = what
        self.todo = todo
        self.file = file
        self.key = key

    def __str__(self):
        where = ": ".join(part for part in (self.file, self.key) if part)
        return f"{where + ': ' if where else ''}{self.what}. {self.todo}"
