"""What an owner does at the page with the machine's screen: which keyboard stands there, and the password that it asks for; and what nobody should send there."""

from house import ADDRESS
from tally import must
from volunteers import PHONE, WIDE, begin, looked
from waiting import until

PAGE = f"http://{ADDRESS}/"
PASSWORD = "Lazy_zebra!7"
ASK = "printf '%s\\n' '{}' | runuser -u wow-console -- /usr/lib/wow/node/ask unlock"
"""What the page on the screen does with what was typed there."""


def run(tally, house, modules, out):
    """beta is a machine of the pool."""
    with tally.case("a keyboard or a password that is none is refused in words, and so is a form from elsewhere; nothing is kept"):
        guest, key = house.guest()
        for fields in ({}, {"keyboard": "uk"}, {"keyboard": "../de"}, {"keyboard": "<b>\u202e"}, {"password": "short", "again": "short"}, {"password": PASSWORD},
                       {"password": PASSWORD, "again": PASSWORD.lower()}, {"password": "caf\u00e9caf\u00e9", "again": "caf\u00e9caf\u00e9"}, {"password": "x" * 900, "again": "x" * 900}):
            status, _, text = guest.ask("/screen", {**fields, "key": key})
            must(status == 400 and "<b>" not in text and 'role="alert"' in text and PASSWORD not in text, f"{fields}: {status} {text}")
        must(guest.ask("/screen", {"keyboard": "de", "key": key[:-1]})[0] == 403 and house.asker().ask("/screen", {"keyboard": "de"})[0] == 401, "anybody may")
        must(house.asker().ask("/screen")[0] == 303, "anybody sees it")
        must(counts(house) == ("us", False), f"{counts(house)}")
    if isinstance(modules, str):
        return
    page = begin(house, modules)
    for script in (True, False):
        with tally.case(f"{'with' if script else 'without'} script: a keyboard is chosen, a password set, which the screen takes and nothing else, and forgotten"):
            page.begin(script=script)
            enter(page, house)
            page.choose(label="Keyboard at the machine's screen", option="French (AZERTY): fr")
            page.press(button="Set the keyboard")
            until(lambda: counts(house), lambda found: found == ("fr", False), "the keyboard is set")
            must("French (AZERTY): fr" in page.text(), page.text())
            page.fill(label="New password", text=PASSWORD)
            page.fill(label="The same again", text=PASSWORD[:-1])
            page.press(button="Set the password")
            page.shows(text="The two passwords are not the same")
            page.fill(label="New password", text=PASSWORD)
            page.fill(label="The same again", text=PASSWORD)
            page.press(button="Set the password")
            page.shows(text="The screen asks for its password before it takes a key")
            must(counts(house) == ("fr", True), f"{counts(house)}")
            house.beta.sh(ASK.format(PASSWORD))
            said = house.beta.sh(f"{ASK.format(PASSWORD.lower())}; :")
            must("that is not the password" in said, said)
            must(house.beta.sh("stat -c %a /run/wow/lock /var/lib/wow/pause/password").split() == ["600", "600"], "others read the hash")
            page.press(button="Ask for no password")
            page.shows(text="Whoever sits at the screen can pause")
            page.choose(label="Keyboard at the machine's screen", option="American: us")
            page.press(button="Set the keyboard")
            page.follow(link="Back to the machine's page")
            page.shows(text="Its keyboard: American. It takes keys from whoever sits there.")
            must(counts(house) == ("us", False), f"{counts(house)}")
            must([one for one in page.complaints() if "400" not in one] == [], f"the browser complains: {page.complaints()}")
    with tally.case("axe-core finds nothing where an owner sees to the screen, wide and light or as wide as a phone and dark"):
        for scheme, width in (("light", WIDE), ("dark", PHONE)):
            page.begin(scheme=scheme, width=width)
            enter(page, house)
            page.shot(path=str(out / f"screen-{scheme}-{width}.png"))
            looked(page, f"screen, {scheme}, {width}")
    page.close()
    with tally.case("`wow screen` says and does the same"):
        said = house.beta.sh("wow screen keyboard de", "alice")
        must("de, German" in said and counts(house) == ("de", False), said)
        said = house.beta.sh(f"printf '%s\\n' '{PASSWORD}' | wow screen password", "alice")
        must("when the password was typed" in said and counts(house) == ("de", True), said)
        said = house.beta.sh("wow screen keyboard uk 2>&1; :", "alice")
        must('there is no keyboard "uk". Near it: gb (British (UK), Irish)' in said, said)
        house.beta.sh("wow screen password none; wow screen keyboard none", "alice")
        must(counts(house) == ("us", False), f"{counts(house)}")


def enter(page, house):
    """Logs a browser in, and goes to where the screen is seen to."""
    page.open(url=PAGE)
    page.fill(label="Code", text=house.code())
    page.press(button="Log in")
    page.follow(link="Keyboard and password of the screen")
    page.shows(text="The machine's screen")


def counts(house):
    """Which keyboard counts, and whether the screen asks for a password."""
    name, locked = house.beta.sh("cat /run/wow/keyboard; test -e /run/wow/lock && echo yes || echo no").split()
    return name, locked == "yes"
