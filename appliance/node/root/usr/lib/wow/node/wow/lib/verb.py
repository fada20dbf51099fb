"""What a verb of `wow` says about itself. Reading a command line, help, completion and the manual page all go by this."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


class UsageError(Exception):
    """The command line is wrong; the text says how it is right."""


class Option:
    """An option: `name` with two hyphens, `short` with one or none; `value` names what it takes, "" where it takes nothing; `text` says what it is
    for. The verb does nothing without one that is needed."""

    __slots__ = ("name", "value", "text", "short", "is_needed")

    def __init__(self, name: str, value: str, text: str, short: str = "", is_needed: bool = False) -> None:
        self.name, self.value, self.text, self.short, self.is_needed = name, value, text, short, is_needed

    def shown(self) -> str:
        """As it stands in a usage."""
        return f"{self.name} {self.value}" if self.value else self.name


JSON = Option("--json", "", "the answer as JSON on one line, for programs")
SOCKET = Option("--socket", "PATH", "ask the ipopd that listens there, not this machine's")


class Given:
    """A command line that was read: its words, and what its options say."""

    __slots__ = ("words", "options")

    def __init__(self, words: list[str], options: dict[str, str]) -> None:
        self.words, self.options = words, options

    def has(self, option: Option) -> bool:
        """Whether it is there."""
        return option.name in self.options

    def get(self, option: Option, default: str) -> str:
        """What it says, or what holds without it."""
        return self.options.get(option.name, default)

    def find(self, option: Option) -> str | None:
        """What it says, None if it is not there."""
        return self.options.get(option.name)


class Verb:
    """`words` is what stands between name and options; `choices` are the words that may stand there, where they are few. One with `takes_all` reads
    its command line itself. `run` returns the exit code: 0 done, 1 it could not be done, 2 wrong usage."""

    __slots__ = ("name", "words", "summary", "options", "run", "choices", "takes_all")

    def __init__(self, name: str, words: str, summary: str, options: tuple[Option, ...], run: "Callable[[Given], int]",
                 choices: tuple[str, ...] = (), takes_all: bool = False) -> None:
        self.name, self.words, self.summary, self.options, self.run = name, words, summary, options, run
        self.choices, self.takes_all = choices, takes_all

    def usage(self) -> str:
        """One line."""
        return " ".join(part for part in ("wow", self.name, self.words, *(
            option.shown() if option.is_needed else f"[{option.shown()}]" for option in self.options)) if part)

    def read(self, arguments: list[str]) -> Given:
        """What the arguments say; UsageError for what this verb does not know, and for words where none belong."""
        if self.takes_all:
            return Given(arguments, {})
        given, rest = Given([], {}), list(arguments)
        while rest:
            word = rest.pop(0)
            key, equals, value = word.partition("=")
            option = next((one for one in self.options if key in (one.name, one.short)), None)
            # A number below zero is a word.
            if option is None and word.startswith("-") and not word[1:2].isdigit():
                raise UsageError(f"{key} is not an option")
            if option is None:
                given.words.append(word)
            elif not option.value:
                if equals:
                    raise UsageError(f"{key} takes no value")
                given.options[option.name] = ""
            elif not equals and not rest:
                raise UsageError(f"{key} needs a value")
            else:
                given.options[option.name] = value if equals else rest.pop(0)
        if given.words and not self.words:
            raise UsageError(f"nothing belongs after the options: {' '.join(given.words)}")
        return given
