"""The grid as SVG: a matrix with a colour for the path and the seconds that it took."""

from html import escape

CELL_WIDTH, CELL_HEIGHT = 46, 26
LEFT, TOP, BOTTOM = 320, 120, 90
COLOURS = {"direct": "#3a9d5d", "relay": "#e3b341", "ring": "#e07b39", "none": "#c0392b"}
LEGEND = {
    "direct": "direct: seconds to the straight path", "relay": "over a relay: seconds to the first answer",
    "ring": "over the ring: seconds to the first answer", "none": "not connected"}
STYLE = "text{font:11px sans-serif;fill:#1b1f24}.in{text-anchor:middle;fill:#fff}.end{text-anchor:end}.title{font-size:16px;font-weight:bold}"


def svg(sites, pairs, heading):
    """sites: [(name, title)] in order; pairs: as in last.json. Returns the text of the file."""
    by_names = {frozenset((pair["a"], pair["b"])): pair for pair in pairs}
    width = LEFT + CELL_WIDTH * len(sites) + 20
    height = TOP + CELL_HEIGHT * len(sites) + BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<style>{STYLE}</style>", f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="12" y="24">{escape(heading)}</text>']
    for row, (name, title) in enumerate(sites):
        y = TOP + CELL_HEIGHT * row
        lines.append(f'<text class="end" x="{LEFT - 8}" y="{y + 17}">{escape(name)}: {escape(title)}</text>')
        x = LEFT + CELL_WIDTH * row + CELL_WIDTH // 2
        lines.append(f'<text transform="translate({x + 4},{TOP - 8}) rotate(-60)">{escape(name)}</text>')
        for column, (other, _) in enumerate(sites):
            pair = by_names.get(frozenset((name, other)))
            if pair is not None and name != other:
                lines += _cell(LEFT + CELL_WIDTH * column, y, pair)
    lines += _legend(TOP + CELL_HEIGHT * len(sites) + 20)
    return "\n".join([*lines, "</svg>"]) + "\n"


def label(pair):
    """What stands in a cell."""
    seconds = pair["direct_s"] if pair["path"] == "direct" else pair["first_s"]
    return "-" if seconds is None or not pair["connected"] else f"{seconds:.2f}"


def _cell(x, y, pair):
    told = f"{pair['a']} - {pair['b']}: {pair['path']}; first {pair['first_s']} s, direct {pair['direct_s']} s, after forgetting {pair['forgot_s']} s"
    return [
        f'<rect x="{x}" y="{y}" width="{CELL_WIDTH - 2}" height="{CELL_HEIGHT - 2}" rx="3" fill="{COLOURS[pair["path"]]}"><title>{escape(told)}</title></rect>',
        f'<text class="in" x="{x + CELL_WIDTH // 2 - 1}" y="{y + 16}">{label(pair)}</text>']


def _legend(y):
    lines = []
    for number, (name, words) in enumerate(LEGEND.items()):
        x, top = 12 + 330 * (number % 2), y + 24 * (number // 2)
        lines += [
            f'<rect x="{x}" y="{top}" width="18" height="14" rx="3" fill="{COLOURS[name]}"/>',
            f'<text x="{x + 26}" y="{top + 11}">{escape(words)}</text>']
    return lines
