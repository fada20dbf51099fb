"""What a person does at the page, in a real browser: each act with script and without, by keyboard, on a phone, dark and light."""

import json

from house import ADDRESS, SLOT
from tally import must
from waiting import until

from browser import Browser

PAGE = f"http://{ADDRESS}/"
WIDE = 900
PHONE = 360
NOTED = """mkdir -p /run/systemd/system/wow-leave.service.d
printf '[Service]\\nExecStart=\\nExecStart=/usr/bin/touch /run/asked-leave\\n' > /run/systemd/system/wow-leave.service.d/noted.conf
systemctl daemon-reload
"""
"""The machine notes that it was told to leave, and stays for the next test."""


def begin(house, modules):
    """A browser on the computer beside the machine."""
    must(not isinstance(modules, str), modules)
    return Browser(["ip", "netns", "exec", house.client], modules)


def run(tally, house, modules, out):
    """beta has a job."""
    with tally.case("a browser can be had: Debian's Chromium, Playwright and axe-core") as browsers:
        page = begin(house, modules)
    if not browsers.passed:
        return
    house.job(project="storm surge")
    for script in (True, False):
        how = "with script" if script else "without script"
        with tally.case(f"{how}: log in by the screen's code, see what runs for whom, pause, resume, finish, resume"):
            page.begin(script=script)
            must(page.open(url=PAGE) == 200, "no page")
            page.fill(label="Code", text=house.code().lower())
            page.press(button="Log in")
            page.shows(text="alice@alpha.pool.internal")
            page.shows(text="Running now")
            page.choose(label="For", option="3 hours")
            page.press(button="Pause now")
            page.shows(text="its job stands still; by the web page")
            must(house.frozen(), "the kernel lets it run")
            kept = json.loads(house.beta.run("cat", "/var/lib/wow/pause/pause.json").stdout)
            must((kept["until"] - kept["since"], kept["finish"], kept["who"]) == (10800, False, "wow-web"), f"{kept}")
            page.press(button="Resume now")
            page.gone(text="its job stands still")
            must(not house.frozen(), "the kernel keeps it")
            page.choose(label="For", option="until I say")
            page.press(button="Finish what runs, then pause")
            page.shows(text="until somebody ends that")
            must(not house.frozen(), "the kernel keeps it")
            page.press(button="Resume now")
            page.gone(text="until somebody ends that")
            must(not page.complaints(), f"the browser complains: {page.complaints()}")
    limits(tally, house, page)
    with tally.case("`wow page` prints a link that logs in, and with script a page that is open shows what another one did"):
        page.begin()
        page.open(url=house.beta.sh("wow page", "alice").split()[0])
        page.press(button="Log in")
        house.beta.sh("wow pause tomorrow", "alice")
        page.shows(text="its job stands still; by alice")
        page.shows(text="Resume now")
        house.beta.sh("wow resume", "alice")
        page.gone(text="its job stands still")
        page.gone(text="Resume now")
        title = page.title()
    with tally.case("with script a page that has no answer any more says so, and no longer once it has one"):
        house.beta.sh("systemctl stop wow-web.socket wow-web.service")
        page.shows(text="No answer since")
        must(page.title() != title, page.title())
        house.beta.sh("systemctl start wow-web.socket")
        page.gone(text="No answer since")
        must(page.title() == title, page.title())
    with tally.case("the cookie is for this machine alone and no script reads it"):
        cookie, = page.cookies()
        must((cookie["httpOnly"], cookie["sameSite"], cookie["domain"]) == (True, "Strict", ADDRESS), f"{cookie}")
    with tally.case("axe-core finds nothing on any page, wide and light or as wide as a phone and dark"):
        papers = set()
        for scheme, width in (("light", WIDE), ("dark", PHONE)):
            page.begin(scheme=scheme, width=width)
            page.open(url=PAGE)
            looked(page, f"login, {scheme}, {width}")
            page.fill(label="Code", text=house.code())
            page.press(button="Log in")
            page.shows(text="Running now")
            looked(page, f"machine, {scheme}, {width}")
            papers.add(page.paper())
            page.shot(path=str(out / ("page.png" if (scheme, width) == ("light", WIDE) else f"page-{scheme}-{width}.png")))
            page.follow(link="Set limits")
            looked(page, f"limits, {scheme}, {width}")
            page.open(url=PAGE)
            page.follow(link="leave the pool")
            looked(page, f"leave, {scheme}, {width}")
        must(len(papers) == 2, f"dark is as light: {papers}")
    with tally.case("by keyboard alone: log in, and get to the first button after the skip link"):
        page.begin()
        page.open(url=PAGE)
        page.fill(label="Code", text=house.code())
        page.keys(keys=["Enter"])
        page.shows(text="Running now")
        page.keys(keys=["Tab"])
        must("Skip to" in page.focused(), page.focused())
        page.keys(keys=["Enter", "Tab", "Tab", "Tab"])
        must(page.focused() in ("Pause now", "Finish what runs, then pause"), page.focused())
        page.keys(keys=["Enter"])
        page.shows(text="Paused")
        page.press(button="Resume now")
        page.gone(text="by the web page")
    with tally.case("log out: the cookie is good no more, and the page asks for a code"):
        page.press(button="Log out")
        page.shows(text="This machine's page")
        must(page.open(url=f"{PAGE}leave") == 200 and "Log in" in page.text(), page.text())
    page.close()


def limits(tally, house, page):
    """The form of limits."""
    for script in (True, False):
        with tally.case(f"{'with' if script else 'without'} script: set limits, see that they hold, be told what is too much, and end them"):
            page.begin(script=script)
            page.open(url=PAGE)
            page.fill(label="Code", text=house.code())
            page.press(button="Log in")
            page.follow(link="Set limits")
            page.fill(label="Processors", text="1")
            page.fill(label="Memory in MB", text="256")
            page.press(button="Set limits")
            page.shows(text="1 processor; 256M memory")
            page.follow(link="Set limits")
            page.fill(label="Processors", text="9999")
            page.fill(label="Memory in MB", text="200")
            page.press(button="Set limits")
            page.shows(text="9999 is more than there is")
            must((held(house)["processors"], held(house)["memory"]) == (1, 256), f"{held(house)}")
            page.fill(label="Processors", text="")
            page.fill(label="kB a second that are sent", text="500")
            page.fill(label="GB in a month", text="20")
            page.fill(label="Hours when jobs may run", text=f"{far(house)} 9-10")
            page.press(button="Set limits")
            page.shows(text="by the hours that its owner set")
            page.shows(text="500 kB/s sent; 20 GB a month, of which")
            must((held(house)["speed"], held(house)["month"]) == (500, 20), f"{held(house)}")
            must(house.frozen() and held(house)["processors"] is None, f"{held(house)}")
            page.follow(link="Set limits")
            page.fill(label="Memory in MB", text="")
            page.fill(label="kB a second that are sent", text="")
            page.fill(label="GB in a month", text="")
            page.fill(label="Hours when jobs may run", text="")
            page.press(button="Set limits")
            page.shows(text="Jobs may have all that the machine has")
            must(not house.frozen() and not any(held(house).values()), f"{held(house)}")


def held(house):
    """The limits as the machine has them."""
    return json.loads(house.beta.sh("wow limit --json", "alice"))["limits"]


def far(house):
    """A day that is in three days."""
    return ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[(int(house.beta.sh("date +%u")) + 2) % 7]


def looked(page, which):
    """What axe-core finds and what is wider than the window."""
    found = page.axe()
    must(not found, f"{which}: {found}")
    wide, window = page.wide()
    must(wide <= window, f"{which}: it is {wide} wide in a window of {window}")


def leave(tally, house, modules):
    """The last: with script and without."""
    if isinstance(modules, str):
        return
    house.beta.sh(NOTED)
    page = begin(house, modules)
    for script in (True, False):
        with tally.case(f"{'with' if script else 'without'} script: leave is asked once more, and then the machine is told to leave"):
            house.beta.sh("rm -f /run/asked-leave; systemctl reset-failed wow-leave.service 2> /dev/null; :")
            page.begin(script=script)
            page.open(url=PAGE)
            page.fill(label="Code", text=house.code())
            page.press(button="Log in")
            page.follow(link="leave the pool")
            page.shows(text="Leave the pool?")
            must(house.beta.run("test", "-e", "/run/asked-leave", check=False).returncode, "it leaves already")
            page.check(label="Yes, this machine leaves")
            page.press(button="Leave the pool")
            page.shows(text="It leaves its pool")
            until(lambda: house.beta.run("test", "-e", "/run/asked-leave", check=False).returncode, lambda code: code == 0, "wow-leave is started")
    page.close()
