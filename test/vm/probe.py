"""What the tests ask of a guest, and waiting until an answer is right."""

import json
import time

import patience
import rootshell
import steal
from waiting import PROMISED

steal.CLOCK = steal.Clock(real=lambda: PROMISED.now())
"""The lab's clock, in tests: what the host took of this computer's processors is in none of what the machines' threads waited."""
MOST = 60.0
"""Seconds that count of what passes from one question to the next, which take less. A computer that stood meanwhile, as a virtual machine that is copied does,
has asked once."""


def until(question, good, wait, what, pause=patience.pause):
    """Asks until good(answer); returns the answer. AssertionError with the last answer after the wait's time. pause: seconds to the next question, by those that one
    took; at_once where the moment itself counts."""
    limit, passed, last = patience.seconds(wait), 0.0, steal.now()
    while True:
        begin = time.monotonic()
        answer = question()
        if good(answer):
            return answer
        if passed > limit:
            raise AssertionError(f"{what}; the last answer: {answer}")
        time.sleep(pause(time.monotonic() - begin))
        now = steal.now()
        passed, last = passed + min(now - last, MOST), now


def at_once(_):
    """Asks each second, however long an answer takes."""
    return 1.0


def root(name, script, wait="command"):
    """A script's output as root of a machine; AssertionError if it fails."""
    code, output = rootshell.ask(name, script, patience.seconds(wait))
    if code != 0:
        raise AssertionError(f"on {name} `{script}` ended with {code}: {output}")
    return output


def status(name):
    """ipopd's status of a machine; while it does not answer, {"said": what came instead}."""
    _, output = rootshell.ask(name, "wow status --json", patience.seconds("command"))
    try:
        return json.loads(output)
    except json.JSONDecodeError:
        return {"said": output}


def joined_status(name):
    """ipopd's status once it is on the ring and has an address."""
    return until(lambda: status(name), lambda now: now.get("ring", {}).get("joined") and now.get("address"), "ring",
                 f"ipopd on {name} is not on the ring with an address")


def slots(lab, name="alpha"):
    """The machines whose slots condor_status on a machine shows to an ordinary user, on alpha to alice."""
    user = lab.login("alpha", "alice") if name == "alpha" else lab.login(name)
    said = user.run("condor_status -af Machine", check=False).stdout
    return {line.split(".")[0] for line in said.split()}


def complaint(lab, name, *words):
    """Waits for an error line on a machine's console that holds all words."""
    def told():
        lab.look()
        return [step.text for step in lab.vms[name].console.steps if step.name == "error"]
    return until(told, lambda texts: any(all(word in text for word in words) for text in texts), "ready",
                 f"{name} tells no error with {' and '.join(words)}")
