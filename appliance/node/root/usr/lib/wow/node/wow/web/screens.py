"""The page on which an owner says which keyboard stands at the machine's screen, and sets the password that the screen asks for before it takes a key."""
from wow.acts import screen as act
from wow.agent import allowed, client
from wow.lib import errors
from wow.lib.errors import WowError
from wow.screen import keyboard, password, state
from wow.web.html import Html, alert, button, form, page, plain, said
from wow.web.setting import Setting

PATH, NONE = "/screen", "none"
DIFFERENT = "The two passwords are not the same, so nothing was changed. Type both again"


def line() -> Html:
    """What stands of it on the machine's page."""
    says = keyboard.layouts().get(_layout(), ("unknown",))[0]
    asks = "asks for a password" if state.is_locked() else "takes keys from whoever sits there"
    return Html(f'<h2>Screen</h2><p>Its keyboard: {plain(says)}. It {asks}.</p><p><a href="{PATH}">Keyboard and password of the screen</a></p>')


def _layout() -> str:
    return state.line(state.COUNTS) or keyboard.USUAL


def show(key: str, wrong: str = "") -> bytes:
    """The page. wrong: why the last form was not taken."""
    now = _layout()
    known = "".join(f'<option value="{plain(name)}"{" selected" if name == now else ""}>{plain(f"{says}: {name}")}</option>'
                    for name, (says, _) in sorted(keyboard.layouts().items(), key=lambda one: one[1][0]))
    choose = ('<div class="field"><label for="keyboard">Keyboard at the machine\'s screen</label> '
              f'<select id="keyboard" name="keyboard" aria-describedby="keyboard-says">{known}</select>'
              '<p id="keyboard-says">It counts at once: what is printed on a key is what it types. '
              "The menu before the start has the keys of an American keyboard.</p></div>")
    trouble = wrong or errors.trouble(state.must_have_password)
    return page("Screen: WOW", f"<h1>The machine's screen</h1>{alert(said(trouble)) if trouble else ''}<h2>Keyboard</h2>"
                f"{form(PATH, key, choose + button('Set the keyboard', kind='strong'))}"
                f'<h2>Password</h2>{_password(key)}<p><a href="/">Back to the machine\'s page</a></p>', key)


def _password(key: str) -> Html:
    locked = state.is_locked()
    now = ("The screen asks for its password before it takes a key, and again after two minutes without one." if locked else
           "Whoever sits at the screen can pause the machine, have it leave its pool, and switch it off. With a password only who knows it can.")
    says = ("<p>What you type here crosses your own network unsealed: take a password that you use nowhere else. If it is forgotten, set another one here, or start the "
            "machine anew and press F4 again and again until a menu comes: its last entry starts with the screen unlocked.</p>")
    fields = "".join(f'<div class="field"><label for="{name}">{label}</label> <input id="{name}" name="{name}" type="password" required minlength="{password.LEAST}" '
                     f'maxlength="{password.MOST}" autocomplete="new-password" aria-describedby="password-says"></div>'
                     for name, label in (("password", "New password"), ("again", "The same again")))
    note = f'<p id="password-says">{password.LEAST} to {password.MOST} characters: letters without accents, digits, and signs such as !; no blanks.</p>'
    forget = form(PATH, key, button("Ask for no password", NONE, "yes")) if locked else ""
    return Html(f'<p class="state" role="status">{plain(now)}</p>{says}{form(PATH, key, fields + note + button("Set the password", kind="strong"))}{forget}')


class Screens(Setting):
    """The page with its routes. Keyboard and password have a form each, and so has the button that ends the password, of which nothing is ever shown again."""

    path = after = PATH
    names = ("keyboard", "password", "again", NONE)

    def page(self, key: str, given: dict[str, str] | None, wrong: str = "") -> bytes:
        """Setting's."""
        return show(key, wrong)

    def have_done(self, given: dict[str, str]) -> None:
        """Setting's."""
        if given[NONE]:
            client.ask("screen", password=act.NONE)
        elif given["keyboard"]:
            client.ask("screen", keyboard=given["keyboard"])
        else:
            if given["password"] != given["again"]:
                raise WowError(DIFFERENT, "", code=allowed.BAD_REQUEST)
            client.ask("screen", password=given["password"])
