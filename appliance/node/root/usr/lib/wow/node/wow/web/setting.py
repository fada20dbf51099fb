"""A page on which an owner sets something of the machine: it shows how that stands, and again what the agent did not take, with why. A form of many fields says of each
what stood there when it was opened, and sets those alone that differ, for others may have set them since (a verb, the same page elsewhere)."""
from wow.lib import errors
from wow.lib.errors import WowError
from wow.web import guests
from wow.web.html import Html, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable

HOME = "/"
"""The machine's own page."""
WAS = "was-"
"""Stands before the name of a field's former value."""

UNKNOWN = "?"
"""The former value where the file of all of them is no good: each one differs from it, so that the form makes the file anew."""


def anew(load: "Callable[[], object]") -> str:
    """What is wrong with the file of a form that is loaded so, and what to do; empty if nothing is."""
    trouble = errors.trouble(load)
    return f"{trouble}. Set here what is to hold: that makes it anew." if trouble else ""


def was(name: str, value: str) -> Html:
    """The field of a form that says what stood there."""
    return Html(f'<input type="hidden" name="{WAS}{name}" value="{plain(value)}">')


def changed(names: "Iterable[str]", given: dict[str, str]) -> dict[str, str]:
    """The fields of these that were changed in the form, as they are now."""
    return {name: given[name].strip() for name in names if given[name].strip() != given[f"{WAS}{name}"].strip()}


class Setting:
    """The routes of one. path: where it stands; names: the fields that its forms may have; after: where a form that was taken leads. secret, must and answer are the
    app's: the cookie of who is in, and of who sent a form of ours as well; a page as an answer. codes: the status by what the agent answers."""

    path, after = "", HOME
    names: tuple[str, ...] = ()

    def __init__(self, bottle: "Any", secret: "Callable[[], str]", must: "Callable[[], str]", answer: "Callable[..., Any]", codes: dict[str, int]) -> None:
        self._bottle, self._secret, self._must, self._answer, self._codes = bottle, secret, must, answer, codes

    def page(self, key: str, given: dict[str, str] | None, wrong: str = "") -> bytes:
        """The page. given: what stands in the fields, None for how it holds now; wrong: why that was not taken."""
        raise NotImplementedError

    def have_done(self, given: dict[str, str]) -> None:
        """Has the agent do what a form says, whose missing fields are empty; WowError says why it was not done."""
        raise NotImplementedError

    def routes(self) -> "list[tuple[str, str, Callable[[], Any]]]":
        """Paths, methods, answers."""
        return [(self.path, "GET", self._show), (self.path, "POST", self._set)]

    def _show(self) -> "Any":
        secret = self._secret()
        return self._answer(200, self.page(guests.form_key(secret), None)) if secret else self._to(HOME)

    def _set(self) -> "Any":
        key, forms = guests.form_key(self._must()), self._bottle.request.forms
        given = {name: str(forms.getunicode(name) or "") for name in self.names}
        try:
            self.have_done(given)
        except WowError as error:
            return self._answer(self._codes.get(error.code, 502), self.page(key, given, str(error)))
        return self._to(self.after)

    def _to(self, path: str) -> "Any":
        """By GET, so that a browser that loads again does nothing twice."""
        return self._bottle.HTTPResponse("", 303, Location=path)
