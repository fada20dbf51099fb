"""A machine of the role login has a queue and no slots: its people's jobs run elsewhere, and nobody's run there."""

from jobs import Job
from pool import ZONE
from tally import must
from waiting import until


def run(tally, pool):
    """Switches the machine desk on, and off again at the end."""
    desk, here = pool.desk, f"desk.{ZONE}"
    with tally.case("a login machine comes up by itself, with a queue that the manager lists, and runs no startd"):
        desk.start()
        desk.wait()
        until(lambda: pool.ads("-schedd", "Machine"), lambda machines: here in machines, "the manager lists its queue")
        until(lambda: desk.sh("systemctl is-active wow-join; :").strip(), lambda said: said == "inactive", "it has joined")
        must(not desk.sh("pgrep -x condor_startd || :").strip(), "it runs a startd")
    with tally.case("a job of alice on it runs on a worker, and its output comes back"):
        said = Job(desk, "alice", "id -un; hostname").result().split()
        must(said[0].startswith("wowjob") and said[1] in {machine.name for machine in pool.workers}, f"the job said {said}")
    with tally.case("no job is offered to it: it has no slot, and a job that asks for it stays idle"):
        must(here not in pool.ads("-startd", "Machine"), "the manager lists slots of it")
        wants = Job(pool.alpha, "alice", "hostname", on=here)
        Job(pool.alpha, "alice", "hostname").result()
        must(not wants.has("001"), "the job runs")
        wants.remove()
    desk.kill()
    until(lambda: pool.ads("-schedd", "Machine"), lambda machines: here not in machines, "the manager forgets its queue")
