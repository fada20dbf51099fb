"""Pieces of HTML. What comes from elsewhere goes through `said`, which leaves it nothing that a browser obeys, nor marks that show it as something else than it is."""
import html
import time

FOOT = "What you see is of this machine alone. Nobody can become root from here."
LONGEST = 500
"""Characters of a text from elsewhere."""


class Html(str):
    """What may stand in a page as it is."""

    __slots__ = ()


def said(text: str) -> Html:
    """A stranger's text: nothing of it is markup, and what is no letter, mark or digit that shows (control characters, marks of direction) is a question mark. It
    is set apart, so that letters that are written from the right turn nothing else around."""
    shown = "".join(one if one.isprintable() else "?" for one in " ".join(text[:LONGEST].split()))
    return Html(f"<bdi>{html.escape(shown)}</bdi>")


def plain(text: str) -> Html:
    """Our own text, escaped."""
    return Html(html.escape(text))


def moment(when: float) -> Html:
    """A time of day with its date, in the machine's zone, which it names. A browser with script shows its own (page.js)."""
    exact, shown = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when)), time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(when))
    return Html(f'<time datetime="{exact}">{plain(shown)}</time>')


def parts(*all_parts: str) -> Html:
    """What a page shows anew by itself (page.js), in parts: always as many, and an empty one where there is nothing to say, so that each is found again."""
    return Html(f'<div id="now">{"".join(f"<div>{one}</div>" for one in all_parts)}</div>')


def rows(pairs: list[tuple[str, Html]]) -> Html:
    """Names and what is so called."""
    return Html("<dl>" + "".join(f"<div><dt>{plain(name)}</dt><dd>{value}</dd></div>" for name, value in pairs) + "</dl>")


def table(caption: str, heads: list[str], lines: list[list[Html]]) -> Html:
    """A table whose first column names its rows."""
    head = "".join(f'<th scope="col">{plain(one)}</th>' for one in heads)
    body = "".join(f'<tr><th scope="row">{line[0]}</th>{"".join(f"<td>{cell}</td>" for cell in line[1:])}</tr>' for line in lines)
    return Html(f'<div class="wide" tabindex="0" role="region" aria-label="{plain(caption)}"><table><caption class="hidden">{plain(caption)}</caption>'
                f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>")


def form(action: str, key: str, inner: str) -> Html:
    """What does something when its button is pressed. key: shows that this page made it."""
    hidden = f'<input type="hidden" name="key" value="{plain(key)}">' if key else ""
    return Html(f'<form method="post" action="{action}">{hidden}{inner}</form>')


def button(text: str, name: str = "", value: str = "", kind: str = "") -> Html:
    """A form's button."""
    what = f' name="{name}" value="{plain(value)}"' if name else ""
    return Html(f'<button type="submit"{what}{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{plain(text)}</button>')


def alert(text: Html) -> Html:
    """What somebody has to know, which a screen reader says at once."""
    return Html(f'<p class="alert" role="alert">{text}</p>')


def page(title: str, main: str, key: str = "", out: str = "/logout", foot: str = FOOT, kind: str = "") -> bytes:
    """A whole page. key: of who is in, for the form to log out, which goes to `out`; foot: what stands below; kind: broad for one with large tables."""
    out = form(out, key, button("Log out", kind="quiet")) if key else ""
    live = '<script type="module" src="/page.js"></script>' if key else ""
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<meta name="color-scheme" content="light dark"><title>{html.escape(title)}</title><link rel="icon" href="/icon.svg" type="image/svg+xml">'
            f'<link rel="stylesheet" href="/page.css">{live}</head><body class="{kind}"><a class="skip" href="#main">Skip to what it shows</a>'
            f'<header><a class="home" href="/">WOW</a>{out}</header><main id="main" tabindex="-1">{main}</main>'
            f"<footer>{plain(foot)}</footer></body></html>").encode("utf-8", "replace")
