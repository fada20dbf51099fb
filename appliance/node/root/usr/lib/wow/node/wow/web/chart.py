"""A picture of days as bars, drawn by the server: SVG in the page, without a script, in the page's own colours."""
import time

from wow.web.html import Html, plain, table

WIDTH, HEIGHT, LEFT, TOP, FOOT = 640, 150, 64, 12, 22
GAP = 3
DAY = "%Y-%m-%d"


def bars(title: str, course: list[tuple[int, float]], unit: str) -> Html:
    """Bars of (moment of Unix time, value); the largest says how much it is. What it shows is said in words for who does not see it, and each bar says its own."""
    most = max((value for _, value in course), default=0)
    if not course or most <= 0:
        return Html(f"<p>{plain(title)}: nothing yet.</p>")
    step = (WIDTH - LEFT) / len(course)
    room = HEIGHT - TOP - FOOT
    drawn = []
    for at, (when, value) in enumerate(course):
        tall = max(value / most * room, 1 if value else 0)
        drawn.append(f'<rect class="bar" x="{LEFT + at * step:.1f}" y="{TOP + room - tall:.1f}" width="{max(step - GAP, 1):.1f}" height="{tall:.1f}">'
                     f"<title>{_day(when)}: {amount(value)} {plain(unit)}</title></rect>")
    says = f"{title}: {amount(sum(value for _, value in course))} {unit} from {_day(course[0][0])} to {_day(course[-1][0])}, at most {amount(most)} in a day"
    return Html(f'<figure><svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{plain(says)}">'
                f'<path class="axis" d="M{LEFT} {TOP}V{TOP + room}H{WIDTH}"/>{"".join(drawn)}'
                f'<text x="{LEFT - 6}" y="{TOP + 10}" text-anchor="end">{amount(most)}</text><text x="{LEFT - 6}" y="{TOP + room}" text-anchor="end">0</text>'
                f'<text x="{LEFT}" y="{HEIGHT - 5}">{_day(course[0][0])}</text><text x="{WIDTH}" y="{HEIGHT - 5}" text-anchor="end">{_day(course[-1][0])}</text></svg>'
                f"<figcaption>{plain(says)}.</figcaption></figure>")


def figures(caption: str, heads: list[str], lines: list[tuple[int, list[float]]]) -> Html:
    """The same days as a table that opens."""
    rows = [[plain(_day(when)), *(plain(amount(value)) for value in values)] for when, values in lines]
    return Html(f"<details><summary>{plain(caption)}</summary>{table(caption, heads, rows)}</details>")


def amount(value: float) -> str:
    """A number as people read it: 1234, 12.5."""
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def _day(when: int) -> str:
    return time.strftime(DAY, time.gmtime(when))
