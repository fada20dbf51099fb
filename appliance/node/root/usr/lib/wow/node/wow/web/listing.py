"""A table that the server sorts, filters and parts into pages, by what the address says behind its question mark. Each of that is looked at and bounded; what is none of
it is refused."""
import urllib.parse

from wow.web.html import Html, button, plain, said

ROWS = 50
"""Rows of a page."""
LONGEST = 64
"""Characters of what may be looked for."""
MOST_PAGES = 10_000
DOWN, UP = "down", "up"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping

    Row = list[Any]


class Column:
    """name: as the address has it; head: as people read it; show: a cell of its value; is_number: larger ones come first and it is set flush right."""

    __slots__ = ("name", "head", "show", "is_number")

    def __init__(self, name: str, head: str, show: "Callable[[Any], Html]" = said, is_number: bool = False) -> None:
        self.name, self.head, self.show, self.is_number = name, head, show, is_number


class Asked:
    """What was asked for. column: its number; kind: what a row's choice must be, empty for any."""

    __slots__ = ("column", "is_down", "find", "kind", "page")

    def __init__(self, column: int, is_down: bool, find: str, kind: str, page: int) -> None:
        self.column, self.is_down, self.find, self.kind, self.page = column, is_down, find, kind, page


class Listing:
    """A table's columns, which is sorted by one at first. choice: (label, number of the column, its values) of what may be chosen beside a text that is looked for."""

    def __init__(self, caption: str, columns: list[Column], first: int, choice: tuple[str, int, tuple[str, ...]] | None = None) -> None:
        self.caption, self._columns, self._first, self._choice = caption, columns, first, choice

    def read(self, query: "Mapping[str, str]") -> Asked:
        """ValueError, which says what may stand there, for what is not known or too long."""
        names = [column.name for column in self._columns]
        sort, order, find, kind, page = (query.get(name, "") for name in ("sort", "order", "find", "kind", "page"))
        if sort and sort not in names:
            raise ValueError(f"sort takes one of {', '.join(names)}")
        if order not in ("", UP, DOWN):
            raise ValueError(f"order takes {UP} or {DOWN}")
        if len(find) > LONGEST:
            raise ValueError(f"find takes {LONGEST} characters at most")
        if kind and (self._choice is None or kind not in self._choice[2]):
            raise ValueError(f"kind takes {'one of ' + ', '.join(self._choice[2]) if self._choice else 'nothing here'}")
        if page and not (page.isascii() and page.isdigit() and len(page) < 6 and 1 <= int(page) <= MOST_PAGES):
            raise ValueError(f"page takes a number from 1 to {MOST_PAGES}")
        column = names.index(sort) if sort else self._first
        shown = "".join(one for one in find if one.isprintable()).strip()
        return Asked(column, order == DOWN if order else self._columns[column].is_number, shown, kind, int(page or 1))

    def show(self, rows: "list[Row]", asked: Asked, more: str = "") -> tuple[Html, Html]:
        """(form, table with the ways to its other pages). A page beyond the last is the last one. more: what is to be said of rows that are not there."""
        found = [row for row in rows if self.is_wanted(row, asked)]
        # By name first, so that equal ones stand in an order.
        found.sort(key=lambda row: str(row[0]))
        found.sort(key=lambda row: _key(row[asked.column]), reverse=asked.is_down)
        pages = max(1, -(-len(found) // ROWS))
        page = min(asked.page, pages)
        begin = (page - 1) * ROWS
        shown = found[begin:begin + ROWS]
        count = f"{begin + 1} to {begin + len(shown)} of {len(found)}" if found else "None"
        filtered = f", of {len(rows)} in all" if len(found) != len(rows) else ""
        return self._form(asked), Html(f'<p class="count">{plain(count + filtered)}.{plain(more)}</p>{self._table(shown, asked)}{self._ways(asked, page, pages)}')

    def _table(self, shown: "list[Row]", asked: Asked) -> str:
        if not shown:
            return ""
        heads = "".join(self._head(at, asked) for at in range(len(self._columns)))
        return (f'<div class="wide" tabindex="0" role="region" aria-label="{plain(self.caption)}"><table><caption class="hidden">{plain(self.caption)}</caption>'
                f"<thead><tr>{heads}</tr></thead><tbody>{''.join(map(self._row, shown))}</tbody></table></div>")

    def _ways(self, asked: Asked, page: int, pages: int) -> str:
        """To the table's other pages."""
        others = {"first page": 1, "page before": page - 1, "next page": page + 1, "last page": pages}
        ways = " ".join(f'<a href="{self._link(asked, page=to)}">{text}</a>' for text, to in others.items() if 1 <= to <= pages and to != page)
        return f'<nav aria-label="Pages of the table"><p>{ways}</p></nav>' if ways else ""

    def is_wanted(self, row: "Row", asked: Asked) -> bool:
        """Whether a row is one of those that were asked for."""
        if asked.kind and self._choice is not None and row[self._choice[1]] != asked.kind:
            return False
        return not asked.find or any(isinstance(cell, str) and asked.find.lower() in cell.lower() for cell in row)

    def _head(self, at: int, asked: Asked) -> str:
        column, is_sorted = self._columns[at], at == asked.column
        turned = not asked.is_down if is_sorted else column.is_number
        order = f' aria-sort="{"descending" if asked.is_down else "ascending"}"' if is_sorted else ""
        mark = f'<span aria-hidden="true"> {"▼" if asked.is_down else "▲"}</span>' if is_sorted else ""
        return (f'<th scope="col"{order}{_flush(column)}><a href="{self._link(asked, sort=column.name, order=DOWN if turned else UP, page=1)}">{plain(column.head)}'
                f"{mark}</a></th>")

    def _row(self, row: "Row") -> str:
        cells = "".join(f"<td{_flush(column)}>{column.show(cell)}</td>" for column, cell in zip(self._columns[1:], row[1:]))
        return f'<tr><th scope="row">{self._columns[0].show(row[0])}</th>{cells}</tr>'

    def _form(self, asked: Asked) -> Html:
        """What narrows the table, and keeps how it is sorted."""
        kinds = ""
        if self._choice is not None:
            label, _, values = self._choice
            options = "".join(f'<option value="{plain(one)}"{" selected" if one == asked.kind else ""}>{plain(one or "any")}</option>' for one in ("", *values))
            kinds = f'<label for="kind">{plain(label)}</label> <select id="kind" name="kind">{options}</select>'
        kept = (f'<input type="hidden" name="sort" value="{self._columns[asked.column].name}"><input type="hidden" name="order" '
                f'value="{DOWN if asked.is_down else UP}">')
        find = f'<input id="find" name="find" type="search" maxlength="{LONGEST}" value="{plain(asked.find)}">'
        return Html(f'<form method="get" role="search"><label for="find">Find</label> {find}'
                    f"{kinds}{kept}{button('Show')}</form>")

    def _link(self, asked: Asked, **changed: object) -> str:
        wanted = {"sort": self._columns[asked.column].name, "order": DOWN if asked.is_down else UP, "find": asked.find, "kind": asked.kind, "page": asked.page, **changed}
        return plain("?" + urllib.parse.urlencode({name: value for name, value in wanted.items() if value and (name, value) != ("page", 1)}, errors="replace"))


def _flush(column: Column) -> str:
    return ' class="number"' if column.is_number else ""


def _key(cell: "Any") -> tuple[float, str]:
    return (0.0, cell.lower()) if isinstance(cell, str) else (float(cell), "")
