"""A screen of 80 columns and 25 rows that obeys what the page on the console sends, and refuses all else."""
import re

COLUMNS, ROWS = 80, 25
OBEYED = re.compile(r"\x1b\[(\??\d*)([HJKhlm])")


class Terminal:
    """What is shown after some bytes."""

    def __init__(self):
        self.rows = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self._rest = ""

    def feed(self, said):
        """Takes in what a program wrote; ValueError for what a page has no business to send."""
        text = self._rest + said.decode("ascii")
        self._rest = ""
        at = 0
        while at < len(text):
            one = text[at]
            if one == "\x1b":
                found = OBEYED.match(text, at)
                if not found:
                    if len(text) - at < 8:
                        self._rest = text[at:]
                        return
                    raise ValueError(f"strange sequence {text[at:at + 12]!r}")
                self._obey(*found.groups())
                at = found.end()
                continue
            if one == "\r":
                self.column = 0
            elif one == "\n":
                self.row += 1
                if self.row >= ROWS:
                    raise ValueError("the page scrolls away")
            elif " " <= one <= "~":
                if self.column >= COLUMNS - 1:
                    raise ValueError("a line is wider than the screen")
                self.rows[self.row][self.column] = one
                self.column += 1
            else:
                raise ValueError(f"strange character {one!r}")
            at += 1

    def _obey(self, _, verb):
        if verb == "H":
            self.row = self.column = 0
        elif verb in "KJ":
            self.rows[self.row][self.column:] = [" "] * (COLUMNS - self.column)
            if verb == "J":
                for row in range(self.row + 1, ROWS):
                    self.rows[row] = [" "] * COLUMNS

    def lines(self):
        """Each row without the blanks at its end."""
        return ["".join(row).rstrip() for row in self.rows]

    def text(self):
        """All of it."""
        return "\n".join(self.lines())
