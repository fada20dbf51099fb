"""The page on which an owner says where the machine is: by a click on a map, which the browser sends as an image's button, or typed as degrees."""
from wow.agent import client
from wow.lib import errors
from wow.place import state
from wow.web import atlas
from wow.web.html import Html, alert, button, form, page, plain, said
from wow.web.setting import Setting

PATH = "/place"
CLICK, NONE = ("map.x", "map.y"), "none"
"""What a click's form has, and the button's that ends it."""
LONGEST = 40
"""Characters of a field that are looked at."""
FIELDS = (("latitude", "Latitude", "North or south of the equator: 47.4 N, or 33.9 S."), ("longitude", "Longitude", "East or west of Greenwich: 8.5 E, or 58.4 W."))


def line(has_slots: bool) -> Html:
    """What stands of it on the machine's page."""
    if not has_slots:
        return Html("")
    place = state.read()
    shown = "It is not on the pool's map." if place is None else f"The pool's map has it at {state.words(place)}."
    return Html(f'<h2>Place</h2><p>{plain(shown)}</p><p><a href="{PATH}">Say where it is</a></p>')


def show(key: str, given: dict[str, str], wrong: str = "") -> bytes:
    """The page. given: what stands in the fields; wrong: why the last ones were not taken."""
    place, trouble = state.read(), wrong or errors.trouble(state.load)
    now = "Nobody is told where this machine is." if place is None else f"The pool is told that this machine is at {state.words(place)}."
    says = ("<p>Everybody in the pool can see the place that you give here, on the pool's map and in what this machine tells of itself. It is kept and told as whole "
            "degrees, some 100 km. Nothing is taken from an address.</p>")
    click = (f'<div class="world"><input type="image" name="map" src="{atlas.FILE}" width="{atlas.WIDE}" height="{atlas.HIGH}" tabindex="-1" '
             f'alt="Map of the world: a click says where the machine is">{atlas.mark(place)}</div>')
    typed = "".join(f'<div class="field"><label for="{name}">{label}</label> <input id="{name}" name="{name}" value="{plain(given.get(name, "")[:LONGEST])}" required '
                    f'maxlength="{LONGEST}" autocomplete="off" spellcheck="false" aria-describedby="{name}-says"><p id="{name}-says">{note}</p></div>'
                    for name, label, note in FIELDS)
    forget = form(PATH, key, button("Tell no place", NONE, "yes")) if place or trouble else ""
    return page("Place: WOW", f'<h1>Where this machine is</h1>{alert(said(trouble)) if trouble else ""}{says}<p class="state" role="status">{plain(now)}</p>'
                f'<h2>Click on the map</h2><div class="wide" tabindex="0" role="region" aria-label="Map">{form(PATH, key, click)}</div>'
                f"<h2>Or type it</h2>{form(PATH, key, typed + button('Set the place', kind='strong'))}{forget}"
                f"<p><a href=\"/\">Back to the machine's page</a></p>", key, kind="broad")


class Placing(Setting):
    """The page with its routes. A click on the map is a form of its own, and so is the button by which no place is told."""

    path = after = PATH
    names = (*(name for name, *_ in FIELDS), *CLICK, NONE)

    def page(self, key: str, given: dict[str, str] | None, wrong: str = "") -> bytes:
        """Setting's."""
        return show(key, given or {}, wrong)

    def have_done(self, given: dict[str, str]) -> None:
        """Setting's."""
        if any(given[name] for name in CLICK):
            asked = atlas.clicked(*(given[name] for name in CLICK))
        else:
            asked = dict.fromkeys(state.NAMES, "none") if given[NONE] else {name: given[name] for name, *_ in FIELDS}
        client.ask("place", **asked)
