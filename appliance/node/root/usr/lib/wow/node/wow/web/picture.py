"""Pictures that the server draws: SVG in the page, of the text's own colour, so that it is dark and light as that is."""
from wow.web.html import Html, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

STEP, BAR, HIGH, FOOT = 20, 14, 120, 24
"""Units from bar to bar, a bar's width, the highest bar, room for the words below."""


def bars(title: str, counts: "Sequence[int]", marked: int, below: dict[int, str]) -> Html:
    """A bar for each count. marked: so many of the first are filled, the others have a line around; below: words below a bar. The title says in words what it shows."""
    most = max([1, *counts])
    parts = [f'<line x1="0" y1="{HIGH}" x2="{STEP * len(counts)}" y2="{HIGH}" stroke="currentColor"/>']
    for place, count in enumerate(counts):
        high, left = max(round(count * (HIGH - 16) / most), 2 if count else 0), place * STEP + (STEP - BAR) // 2
        fill = "currentColor" if place < marked else "none"
        if high:
            parts.append(f'<rect x="{left}" y="{HIGH - high}" width="{BAR}" height="{high}" fill="{fill}" stroke="currentColor"/>')
            parts.append(f'<text x="{left + BAR // 2}" y="{HIGH - high - 4}" font-size="11" text-anchor="middle" fill="currentColor">{count}</text>')
    parts += [f'<text x="{place * STEP}" y="{HIGH + 16}" font-size="12" fill="currentColor">{plain(word)}</text>' for place, word in below.items()]
    return Html('<div class="wide" tabindex="0" role="region" aria-label="Picture"><svg class="picture" role="img" '
                f'aria-label="{plain(title)}" viewBox="0 0 {STEP * len(counts)} {HIGH + FOOT}">{"".join(parts)}</svg></div>')
