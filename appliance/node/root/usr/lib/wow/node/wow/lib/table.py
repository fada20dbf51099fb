"""Tables and figures for people."""


def columns(rows: list[list[str]], right: tuple[int, ...] = ()) -> list[str]:
    """Lines with the columns under one another; `right` are the numbers of the columns set flush right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) if at in right else cell.ljust(width) for at, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return lines


def printable(said: str) -> str:
    """A stranger's text without what a terminal obeys."""
    return "".join(one if one.isprintable() else " " if one.isspace() else "?" for one in said)


def size(count: float) -> str:
    """Bytes as people read them: 1.5 MB."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return ""


def milliseconds(value: float | None) -> str:
    """1.5 ms, or - where there is none."""
    return "-" if value is None else f"{value:.1f} ms"


def share(value: float | None) -> str:
    """25 %, or - where there is none."""
    return "-" if value is None else f"{value * 100:.0f} %"


def duration(seconds: float) -> str:
    """Seconds as people read them: 3 min, 5 h, 2 d."""
    seconds = max(0, int(seconds))
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
