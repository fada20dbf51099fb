"""What jobs reach of the machine that they run on, of other slots, other machines and the world: by a job that tries it all."""

import json
import pathlib
from jobs import Job
from pool import WORLD, ZONE
from tally import must
from waiting import until

HERE = pathlib.Path(__file__).resolve().parent
INTRUDER = "#!/usr/bin/python3\n" + (HERE / "intruder.py").read_text(encoding="utf-8")
NEIGHBOUR = "#!/usr/bin/python3\n" + (HERE / "neighbour.py").read_text(encoding="utf-8")
NOTEBOOK, NEIGHBOURS, SECRET = 8888, 7001, "nobody-else-reads-this"
CHIRPS = "/usr/libexec/condor/condor_chirp set_job_attr WowTest 17 && /usr/libexec/condor/condor_chirp get_job_attr WowTest"
NOTEBOOK_PROGRAM = ["python3", "-m", "http.server", str(NOTEBOOK)]


def run(tally, pool):
    """alice's jobs on beta beside bob's notebook there."""
    alpha, beta = pool.alpha, pool.beta
    glutton = Job(beta, "bob", "dd if=/dev/zero of=much bs=1M count=40; sleep 600", on=f"alpha.{ZONE}", disk="10M")
    notebook = beta.begin(NOTEBOOK_PROGRAM, "bob")
    neighbour = Job(alpha, "alice", NEIGHBOUR, on=f"beta.{ZONE}", arguments=f"{NEIGHBOURS} {SECRET}").started()
    server = Job(beta, "bob", NEIGHBOUR, on=f"alpha.{ZONE}", arguments=str(NEIGHBOURS)).started()
    until(lambda: listening(beta) >= {NOTEBOOK, NEIGHBOURS} and NEIGHBOURS in listening(alpha), bool, "notebook and neighbours listen")
    places = {f"{host}:{NOTEBOOK}": "a person's notebook" for host in ("127.0.0.1", beta.address)}
    places |= {f"{host}:{NEIGHBOURS}": "another slot" for host in ("127.0.0.1", beta.address)}
    places |= {f"{machine.address}:{port}": f"{machine.name}'s {what}" for machine in pool.machines.values()
               for port, what in ((9618, "HTCondor"), (22, "ssh"))}
    places |= {f"{alpha.address}:{port}": "alpha's schedd" for port in listening(alpha, alpha.address) - {9618, NEIGHBOURS}}
    places |= {f"127.0.0.1:{port}": "beta's own service" for port in listening(beta, "127.0.0.1") - {53, NOTEBOOK, NEIGHBOURS}}
    places |= {"192.0.2.1:53": "the LAN"}
    far = f"{alpha.address}:{NEIGHBOURS}"
    job = Job(alpha, "alice", INTRUDER, on=f"beta.{ZONE}", arguments=" ".join([*places, far]))
    said = {}
    with tally.case("a job that tries to get out of its slot ends like any other"):
        said.update(json.loads(job.result(120)))
    if not said:
        return
    with tally.case("a job reaches what it listens on itself, by loopback and by its machine's address"):
        must(said["own loopback"] == said["own address"] == "open", f"{said['own loopback']}, {said['own address']}")
    with tally.case("a job reaches another machine's job on the overlay"):
        must(said["tcp"][far] == "open", said["tcp"][far])
    with tally.case("a job reaches no person's program, no other slot, no daemon, no ssh and no machine of the physical network"):
        reached = {place: what for place, what in places.items() if said["tcp"][place] == "open"}
        must(not reached, f"it reaches {reached}")
    with tally.case("a job connects to no Unix socket without a file, HTCondor's and another slot's among them"):
        must("@neighbour" in beta.run("cat", "/proc/net/unix").stdout, "the other slot has none")
        must(not said["abstract"], f"it connects to {said['abstract']}")
    with tally.case("a job knows the pool's names and none of the world, whom it ever asks"):
        must(said["names"][f"manager.{ZONE}"] == pool.manager.address, f"{said['names']}")
        must(pool.beta.sh(f"getent hosts {WORLD}", "bob").strip(), "not even a person knows the world's name")
        must(not said["names"][WORLD][0].isdigit() and said["asked past the resolver"] != "answered", f"{said['names']}, {said['asked past the resolver']}")
    with tally.case("a job sees its own processes and no others"):
        must(not said["processes"], f"it sees {said['processes']}")
    with tally.case("a job lists and reads nothing of people, of other slots and of the machine"):
        must(not said["files"], f"it reads {said['files']}")
    with tally.case("a job gets neither user namespaces nor another account by set-uid programs"):
        must(said["user namespace"] == "refused" and said["privileges"] == "none", f"{said['user namespace']}, {said['privileges']}")
    with tally.case("a job that forks without end gets a bounded number of processes"):
        must(said["forks"] < 1024, f"it had {said['forks']}")
    with tally.case("a job puts nothing into its machine's queue"):
        must(said["submit"] == "refused", said["submit"])
    with tally.case("a job reads no queue, neither arguments nor environments of other jobs"):
        must(SECRET not in said["queue read"], said["queue read"])
    with tally.case("a job talks to its own starter (condor_chirp)"):
        chirps = Job(alpha, "alice", CHIRPS, on=f"beta.{ZONE}", more="+WantIOProxy = true")
        must(chirps.result().split()[-1:] == ["17"], chirps.result())
    with tally.case("a job whose program cannot be started ends with 127, and its error file says why"):
        wrong = Job(alpha, "alice", "#!/nowhere", on=f"beta.{ZONE}")
        said = wrong.result()
        must("cannot be started: No such file" in said and "interpreter" in said and "return value 127" in alpha.sh(f"cat {wrong.name}.log", "alice"), said)
    with tally.case("what a job leaves running ends with it"):
        Job(alpha, "alice", "setsid sh -c 'sleep 1234 & sleep 1234' > /dev/null 2>&1 & sleep 1", on=f"beta.{ZONE}").result()
        until(lambda: beta.sh("pgrep -fx 'sleep 1234' || :"), lambda left: not left, "its processes are gone", 20)
    neighbour.remove()
    server.remove()
    with tally.case("a job that writes more than it asked for is held, and the reason says so"):
        glutton.wait("012", "been held", 90)
        must("disk" in beta.sh(f"condor_q {glutton.number} -af HoldReason", "bob"), "for another reason")
        glutton.remove()
    notebook.kill()
    notebook.wait()


def listening(machine, host=None):
    """The ports on which a machine listens over TCP, or only those on one address."""
    lines = machine.run("ss", "-Hltn").stdout.splitlines()
    places = [line.split()[3].rsplit(":", 1) for line in lines]
    return {int(port) for place, port in places if host in (None, place)}
