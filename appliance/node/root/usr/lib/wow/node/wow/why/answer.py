"""Why a job is as it is: one sentence, and what to do."""


class Answer:
    """code is for programs (docs/reference/findings.md), text says why, todo what to do about it, if anything; both are sentences. short: the text in a few
    words for a table."""

    __slots__ = ("code", "text", "todo", "short")

    def __init__(self, code: str, text: str, todo: str = "", short: str = "") -> None:
        self.code, self.text, self.todo, self.short = code, text, todo, short or text

    def sentence(self) -> str:
        """For people."""
        return self.text + (f" {self.todo}" if self.todo else "")
