"""What a person does at the page about projects: sees what the machine gave them, refuses one and accepts it again; and what nobody should send there."""

import re

from browser import Browser
from house import ADDRESS
from tally import must
from waiting import until

PAGE = f"http://{ADDRESS}/"
PROJECT, HOSTILE = "flood maps", "<b onclick=alert(1)>x\u202e"
WORDS = PROJECT.replace(" ", "[[:space:]]+")
"""As HTCondor has it (refuse/tell.py)."""
KEPT = "/var/lib/wow/refused/projects"


def run(tally, house, modules):
    """beta has a job."""
    beta = house.beta
    with tally.case("what the machine gave is on its page, by project and by day, when wow-jobs has written it"):
        house.job(project=PROJECT)
        until(lambda: beta.sh("cat /run/wow/page"), lambda said: PROJECT in said, "wow-jobs has seen it")
        beta.run("systemctl", "restart", "wow-jobs.service")
        text = house.guest()[0].ask()[2]
        for words in ("What this machine gave", f"<bdi>{PROJECT}</bdi></th><td>0.0</td><td>1</td>", "This month your network carried"):
            must(words in text, f"no {words}: {text}")
    with tally.case("there is a picture of it to share, for who is in alone"):
        status, headers, text = house.guest()[0].ask("/given.svg")
        must(status == 200 and "image/svg+xml" in str(headers) and PROJECT in text, f"{status} {headers} {text}")
        # What jobs of other tests gave may be written by now, or not.
        must(re.search(r">[1-9] jobs?, since 20", text), text)
        must("beta" not in text and ADDRESS not in text, f"it says more than it should: {text}")
        must(house.asker().ask("/given.svg")[0] == 303, "anybody sees it")
    with tally.case("a form that names no project, or comes from elsewhere, refuses nothing; a strange name is text on the page"):
        guest, key = house.guest()
        for name in ("", "a\nb", "a\"b", "x" * 65, " x", "\u00fc"):
            status, _, text = guest.ask("/refuse", {"project": name, "key": key})
            must(status == 400 and "not the name of a project" in text, f"{name!r}: {status} {text}")
        must(guest.ask("/refuse", {"project": PROJECT, "key": key[:-1]})[0] == 403 and house.asker().ask("/refuse", {"project": PROJECT})[0] == 401, "anybody may")
        for number in range(40):
            status = guest.ask("/refuse", {"project": f"p{number}", "key": key})[0]
            must(status == (303 if number < 32 else 409), f"{number}: {status}")
        for number in range(40):
            guest.ask("/accept", {"project": f"p{number}", "key": key})
        must(not beta.sh(f"cat {KEPT}"), "some are left")
        house.job(project=HOSTILE)
        until(lambda: beta.sh("cat /run/wow/page"), lambda said: "<b onclick=al" in said, "wow-jobs has seen it")
        text = guest.ask()[2]
        must("<b onclick" not in text and "\u202e" not in text and "&lt;b onclick" in text, text)
        house.job(project=PROJECT)
    if isinstance(modules, str):
        return
    page = Browser(["ip", "netns", "exec", house.client], modules)
    for script in (True, False):
        with tally.case(f"{'with' if script else 'without'} script: a project is refused by its button, stays so, and is accepted again"):
            page.begin(script=script)
            page.open(url=PAGE)
            page.fill(label="Code", text=house.code())
            page.press(button="Log in")
            page.press(button=f"Refuse {PROJECT}")
            page.shows(text="is refused")
            must(beta.sh(f"cat {KEPT}") == f"{PROJECT}\n", beta.sh(f"cat {KEPT}"))
            until(lambda: beta.sh("condor_config_val START; :"), lambda said: f'{WORDS}[[:space:]]*$", TARGET.ProjectName' in said, "HTCondor is told")
            page.press(button=f"Accept {PROJECT}")
            page.shows(text="Jobs of a project that you refuse")
            until(lambda: beta.sh(f"cat {KEPT}"), lambda said: not said, "it is accepted")
            must(not page.complaints(), f"the browser complains: {page.complaints()}")
    page.close()
