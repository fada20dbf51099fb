"""From a prepared lab to a report: tells the story, shows it, writes down what happened."""

import os

import cleanup
import evidence
import explain
import figures
import image
import proof
import sites
import story
from lab import Lab
from shell import LabError


PANIC = "Kernel panic - not syncing"
BOOTS = 3
"""Boots until a kernel panic counts. QEMU 7.2 emulates two processors with a race: one runs what the other is patching (an int3 that
nobody expects, within the first two seconds). One processor has none, so nothing else here uses two."""


def login_seconds(folder, setup, say):
    """Seconds from power-on to the login prompt of one machine alone with two processors; nothing of it is left running."""
    for boot in range(1, BOOTS + 1):
        lab = Lab(os.path.join(folder, f"alone-{boot}"), setup, say, processors=2)
        os.makedirs(lab.folder)
        try:
            lab.build([sites.ALPHA])
            lab.power_on("alpha")
            lab.wait("login", "alpha")
            return lab.timeline.seconds("alpha", "login")
        except LabError as error:
            if boot == BOOTS or PANIC not in said(lab):
                raise
            say(f"the emulator broke the guest's kernel ({error}); booting it once more")
        finally:
            cleanup.stop()
    raise AssertionError("the last boot returns or raises")


def said(lab):
    """Everything on the console of the machine that is alone; nothing where it was not made."""
    if "alpha" not in lab.vms:
        return ""
    with open(lab.vms["alpha"].console.path, errors="replace") as file:
        return file.read()


def tell(lab, say):
    """Runs the story on a prepared lab and returns the report; a LabError carries what failed."""
    login = login_seconds(lab.folder, lab.setup, say)
    lab.build(sites.POOL)
    story.start_pool(lab)
    table = story.pool_table(lab)
    ram = story.guest_memory(lab)
    jobs, _ = story.run_jobs(lab)
    overlay = story.ports(lab)
    straight = story.direct_path(lab, overlay)
    verdicts = story.captures(lab, overlay)
    reached = {
        **image.sizes(),
        "login_s": login,
        "pool_s": max(lab.timeline.seconds(name, "pool") for name in story.EVERY),
        "jobs_s": max(job["completed"] for job in jobs) - min(job["submitted"] for job in jobs),
        "ram_mib": max(ram[name] for name in story.WORKERS),
        "direct_s": straight,
    }
    report = {"ok": True, "timeline": lab.timeline.as_json(), "table": table, "jobs": jobs, "capture": proof.as_json(verdicts),
              "origin": image.origin(lab.setup.accelerator), "memory_mib": ram,
              "boot_s": {name: lab.timeline.seconds(name, "login") for name in story.EVERY}, "figures": reached}
    show(lab, report, verdicts, say)
    story.sealed(verdicts)
    return report


def show(lab, report, verdicts, say):
    """Prints timeline, table, the jobs' output and what the captures hold; the report keeps the first and the last for README."""
    timeline = ("Timeline", lab.timeline.table())
    wire = ("The wire (taps: the machine's own side of the overlay; wan: its network card)", proof.lines(verdicts))
    report["run"] = [line for title, lines in (timeline, wire) for line in (title, *("  " + line for line in lines))]
    for title, lines in (
            timeline,
            ("The pool, as alice on alpha sees it", report["table"].splitlines()),
            ("The jobs' output", [f"job {job['job']} on {job['host']}: {line}" for job in report["jobs"] for line in job["output"].splitlines()]),
            wire):
        say.plain(f"\n{title}\n" + "\n".join("  " + line for line in lines))
    say.plain()


def failed(lab, error, say):
    """Prints why a run failed, fetches what the machines still tell, and returns the report of it."""
    place = evidence.collect(lab, os.path.join(lab.folder, "failed")) if lab else None
    lines = explain.failure(error, lab.consoles if lab else {}, place)
    say.plain("\n" + "\n".join(lines))
    return {"ok": False, "error": str(error), "machine": error.machine, "step": error.step, "explanation": lines,
            "timeline": lab.timeline.as_json() if lab else {}, "jobs": []}


def finish(folder, report, seconds, say):
    """Writes report.json and figures.json; prints the figures of a run that went well."""
    report["seconds"] = round(seconds, 1)
    os.makedirs(folder, exist_ok=True)
    if report["ok"]:
        report["figures"]["wow_s"] = report["seconds"]
        story.write(os.path.dirname(folder), "figures.json", figures.as_json(report["figures"], report["origin"]))
        say.plain("\n".join(figures.table(report["figures"])))
    path = story.write(folder, "report.json", report)
    say.plain(f"\nreport: {path}; captures and serial logs beside it")
