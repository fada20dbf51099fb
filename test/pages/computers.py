"""What a volunteer's computer tells of itself, by the very line that the page makes, and what follows: jobs stand still on battery within seconds, and go on; and what
nobody should send there."""

import html
import json
import re
import subprocess
import tempfile
import time

from asking import Asker
from browser import Browser
from house import ADDRESS
from tally import must
from volunteers import PHONE, WIDE, looked
from waiting import until

PAGE = f"http://{ADDRESS}/"
TOLD = "/run/wow-web/computer.json"
EVERY = 2.0
"""Seconds from a wrong token until another one is not told to come later."""
SLOW = EVERY + 0.1
SOON = 40
"""Seconds within which jobs stand still: wow-jobs looks every five, and for seven after a change it sees to that; many times as much as a
quiet machine needs."""
PASTED = """set -e
mkdir -p "$1/tools"
printf '%s\\n' '#!/bin/sh' 'if [ "$1" = -l ]; then cat "$TAB" 2> /dev/null; else cat > "$TAB.new"; mv "$TAB.new" "$TAB"; fi' > "$1/tools/crontab"
printf '%s\\n' '#!/bin/sh' 'echo IdleHint=yes' 'echo IdleSinceHint=0' > "$1/tools/loginctl"
chmod +x "$1/tools/crontab" "$1/tools/loginctl"
mount -t tmpfs none /sys/class
mkdir -p /sys/class/power_supply/BAT0
echo "$2" > /sys/class/power_supply/BAT0/status
echo 57 > /sys/class/power_supply/BAT0/capacity
export TAB="$1/tab" PATH="$1/tools:/usr/bin:/bin"
sh -c "$3"
sed 's/^[*] [*] [*] [*] [*] //' "$1/tab" > "$1/line"
sh "$1/line"
"""
"""Pastes a line ($3) on a computer whose battery says $2, and runs what it leaves for cron as cron does. sh, awk, grep and curl are the real ones; cron's and logind's
own tools, which the tests' machine need not have, say what they do; $1 is a folder."""


def pasted(house, line, battery):
    """Runs the line on the computer beside the machine."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*house.topology.inside("client", "unshare", "--mount"), "sh", "-c", PASTED, "pasted", folder, battery, line], check=True)


def made(house):
    """A new line for Linux, its token, and who is in."""
    guest, key = house.guest()
    status, _, text = guest.ask("/computer/line", {"key": key})
    must(status == 200, f"{status} {text}")
    line = html.unescape(re.search(r'<textarea id="linux"[^>]*>([^<]*)</textarea>', text)[1])
    return line, re.search("token=([0-9a-f]{32})", line)[1], guest


def seen(house):
    """As a person of the machine asks."""
    return json.loads(house.beta.sh("wow computer --json", "alice"))


def run(tally, house, modules):
    """beta has a job and is not paused."""
    beta, report = house.beta, {"idle": "312", "power": "battery", "charge": "57"}
    with tally.case("a line is made, kept as a hash, and run by a real sh and curl: on battery jobs stand still within seconds, and all say why"):
        line, token, guest = made(house)
        must(token not in beta.sh("cat /var/lib/wow/pause/computer.json"), "the token is kept")
        must("wow-battery" not in str(seen(house)) and not house.frozen(), "it is paused before")
        pasted(house, line, "Discharging")
        _, took = until(house.frozen, bool, "the kernel stops the job", SOON)
        found = seen(house)
        must((found["why"], found["paused"]["who"], found["told"]["charge"]) == ("battery", "wow-battery", 57) and found["told"]["idle"] > 0, f"{found}")
        print(f"     the job stands still {took:.1f} s after its computer said that it runs on battery", flush=True)
        text = guest.ask()[2]
        must("Your computer runs on battery, so jobs stand still" in text and "which runs on battery" in text and "Resume now" not in text, text)
        late, key = house.guest()
        must(late.ask("/computer/anyway", {"key": key, "why": "wow-used"})[0] == 303 and seen(house)["chosen"]["battery"], "a page of before ends another choice")
        must(re.search("heard [0-9]+ s ago: idle for [0-9]+ s, on battery 57 %", guest.ask("/computer")[2]), guest.ask("/computer")[2])
        must("Your computer runs on battery" in until(lambda: beta.sh("cat /run/wow/page"), lambda said: "on battery" in said, "the screen says it")[0], "")
        until(lambda: beta.sh("condor_config_val WowPauseReason; :"), lambda said: "on battery, is used or busy" in said, "HTCondor is told, and not which")
        must("wow computer set battery no" in beta.sh("wow status", "alice"), "wow status does not say what to type")
        must(beta.run("runuser", "-u", "wowjob1", "--", "cat", "/run/wow/computer.json", check=False).returncode, "a job reads whether somebody is there")
    with tally.case("silent for minutes, and jobs go on, for the computer may be gone; plugged in again, and the line says so"):
        # As if it had come five minutes earlier. The program keeps what it heard, so it begins anew.
        beta.sh("systemctl stop wow-web.service")
        kept = json.loads(beta.sh(f"cat {TOLD}"))
        kept["report"]["when"] = max(0, kept["report"]["when"] - 301)
        beta.sh(f"echo '{json.dumps(kept)}' > {TOLD}")
        until(house.frozen, lambda is_so: not is_so, "the job goes on", SOON)
        must("too long ago to count" in guest.ask("/computer")[2], guest.ask("/computer")[2])
        pasted(house, line, "Charging")
        must("plugged in 57 %" in guest.ask("/computer")[2], guest.ask("/computer")[2])
    with tally.case("who has no cookie sees nothing of it and changes nothing; a wrong, an old and no token are refused, and so is what is no report"):
        stranger = house.asker()
        must(stranger.ask("/computer")[0] == 303 and stranger.ask("/computer/line", {})[0] == 401, "anybody may")
        must(guest.ask("/computer/line", {"key": "x"})[0] == guest.ask("/computer/set", {"used": "5"})[0] == 403, "without the form's key")
        for given, status in (({}, 403), ({"token": "x"}, 403), ({"token": token, "idle": "x"}, 400), ({"token": token, "idle": "9" * 10}, 400), ({"token": token}, 400),
                              ({"token": token, **report, "charge": "101"}, 400), ({"token": token, **report, "more": "1"}, 400), ({"token": token, "idle": "1" * 400}, 413),
                              ({"token": token, "power": "<b>"}, 400)):
            time.sleep(SLOW if status == 403 else 0)
            found = stranger.ask("/computer", given)
            must(found[0] == status and "text/plain" in str(found[1]), f"{given}: {found}")
        must(stranger.ask("/computer", {"token": token, **report}, host="evil.example")[0] == 421, "a foreign name")
        must(stranger.ask("/computer", {"token": token, **report}, headers={"Origin": "http://evil.example"})[0] == 403, "another site")
        until(lambda: stranger.ask("/computer", report, headers={"Authorization": f"Bearer {token}"})[0], lambda status: status == 200, "the token as a header", pause=0.5)
        # Of two that come quickly one after the other the second.
        until(lambda: stranger.ask("/computer", {"token": token, **report})[0], lambda status: status == 429, "as often as it likes", pause=0)
        _, newer, _ = made(house)
        time.sleep(SLOW)
        must(stranger.ask("/computer", {"token": token, **report})[0] == 403, "the old token is good")
    with tally.case("a thousand wrong tokens are slowed, counted and shown, and the right one is heard all the same"):
        begun = time.monotonic()
        said = [stranger.ask("/computer", {"token": f"{number:032}", **report})[0] for number in range(1000)]
        most = 2 + (time.monotonic() - begun) / EVERY
        must(set(said) <= {403, 429} and said.count(403) <= most, f"{said.count(403)} were looked at, where there was time for {most:.0f}")
        must(stranger.ask("/computer", {"token": newer, "power": "mains"})[0] == 200, "the right one is kept out")
        must(re.search("Reports with a wrong token: 100[0-9],", guest.ask("/computer")[2]), guest.ask("/computer")[2])
    if not isinstance(modules, str):
        browsed(tally, house, modules)
    beta.sh("wow computer forget; wow computer set battery yes; wow computer set used none", "alice")
    with tally.case("a token that was forgotten is heard no more"):
        time.sleep(SLOW)
        must(Asker(house.client, ADDRESS).ask("/computer", {"token": newer, **report})[0] == 403, "it is heard")


def browsed(tally, house, modules):
    """In a real browser."""
    page = Browser(["ip", "netns", "exec", house.client], modules)

    def begin(**how):
        page.begin(**how)
        page.open(url=PAGE)
        page.fill(label="Code", text=house.code())
        page.press(button="Log in")
        page.follow(link="Pause by its battery, its use or its load")
        page.shows(text="What it sees now")

    for scheme, width in (("light", WIDE), ("dark", PHONE)):
        with tally.case(f"with script, {scheme}, {width} wide: see what it sees, and have a line made; axe-core finds nothing"):
            begin(scheme=scheme, width=width)
            looked(page, f"computer, {scheme}, {width}")
            page.press(button="Make a new line")
            page.shows(text="Paste the one for your computer there")
            looked(page, f"line, {scheme}, {width}")
            must(not page.complaints(), f"the browser complains: {page.complaints()}")
    with tally.case("without script: choose, be told what is no choice, jobs stand still while somebody is there, and run all the same by a button"):
        begin(script=False)
        page.fill(label="While somebody uses it, and so many minutes more", text="x5")
        page.press(button="Set")
        page.shows(text="used is no such number of minutes")
        page.fill(label="While somebody uses it, and so many minutes more", text="5")
        page.uncheck(label="The machine may start again by itself")
        page.press(button="Set")
        # Both pages say what it sees now.
        page.gone(text="used is no such number of minutes")
        must(seen(house)["chosen"] == {"battery": True, "used": 5, "busy": False, "restart": False}, f"{seen(house)}")
        page.press(button="Make a new line")
        page.shows(text="Paste the one for your computer there")
        token = made(house)[1]
        must(house.asker().ask("/computer", {"token": token, "idle": "10"})[0] == 200, "it is not heard")
        until(house.frozen, bool, "the kernel stops the job", SOON)
        page.open(url=PAGE)
        page.shows(text="Somebody uses your computer, so jobs stand still.")
        page.press(button="Run jobs all the same")
        until(house.frozen, lambda is_so: not is_so, "the job goes on", SOON)
        must(seen(house)["chosen"]["used"] is None, f"{seen(house)}")
        page.open(url=f"{PAGE}computer")
        page.press(button="Look again")
        page.shows(text="idle for 10 s")
        page.press(button="Forget the line")
        page.shows(text="no line was made, or it was forgotten")
        must(not page.complaints(), f"the browser complains: {page.complaints()}")
    page.close()
