"""What jobs reach of the machine that they run on, of other slots, other machines and the world: by a job that tries it all. And jobs that ask for what is not
theirs."""

import json
import pathlib
import re
import signal
from jobs import KEEPS, SAVES, Job
from pool import WORLD, ZONE
from tally import must
from waiting import until

HERE = pathlib.Path(__file__).resolve().parent
INTRUDER = "#!/usr/bin/python3\n" + (HERE / "intruder.py").read_text(encoding="utf-8")
NEIGHBOUR = "#!/usr/bin/python3\n" + (HERE / "neighbour.py").read_text(encoding="utf-8")
NOTEBOOK, NEIGHBOURS, SECRET = 8888, 7001, "nobody-else-reads-this"
STANDARD = 31
"""Signals that are not of real time."""
CHIRPS = "/usr/libexec/condor/condor_chirp set_job_attr_delayed ChirpWow 17 && /usr/libexec/condor/condor_chirp get_job_attr_delayed ChirpWow"
LIES = "/etc/condor/config.d/90-lies.conf"
LYING = f"""cat > {LIES} << 'LYING'
JOB_EXECUTION_TRANSFORM_NAMES = $(JOB_EXECUTION_TRANSFORM_NAMES) Lies
JOB_EXECUTION_TRANSFORM_Lies @=end
  SET WantIOProxy true
@end
LYING
condor_restart -fast -startd"""
"""Has a machine ask a job's shadow for what the job never asked for, as whoever is root there can. A startd reads this when it starts."""
BARE = "/etc/condor/config.d/90-bare.conf"
PLACES = "rm -rf leads linked /var/tmp/outside; mkdir -p /var/tmp/outside own; echo own > own/file"
REACHES = """#!/usr/bin/python3
import os, socket
with open(".chirp.config", encoding="ascii") as file:
    host, port, cookie = file.read().split()
link = socket.create_connection((host, int(port))).makefile("rw")
for line in (f"cookie {cookie}", "symlink /var/tmp/outside /home/alice/leads", "link /home/alice/own/file /home/alice/linked", "open /etc/hostname r 0",
             "open /home/alice/own/file r 0"):
    print(line, file=link, flush=True)
    answer = link.readline().strip()
    print(line.split()[0], "refused" if answer.startswith("-") else "done", flush=True)
os.mkdir("leads")
with open("leads/planted", "w", encoding="ascii") as file:
    file.write("by the machine")
"""
"""A job by whose shadow its machine tries to leave the folder that it was submitted from. (HTCondor's starter asks for it: the protocol is Chirp's.)"""
REACHED = ("open", "answered", "no address")
"""What the intruder says of a place that it got to."""
LAN, ELSEWHERE, EVERYBODY_6 = "192.0.2.1", "198.51.100.7", "ff02::1%wan"
"""The gateway of the machines' own network, which answers DNS and echoes; an address of the world; all neighbours."""
LEFT = """table inet left {
  chain out { type filter hook output priority 300; oifname "wan" meta skuid %s counter; }
}
"""
NARROW = """table inet narrow {
  chain out { type filter hook output priority 300; oifname "wow0" limit rate over 1500 kbytes/second burst 256 kbytes drop; }
}
"""
PREEMPTED = "cat /var/log/condor/StartLog* | grep -c 'PREEMPT is TRUE' || :"
HEARD = "cat /var/lib/wow/execute/*/heard"
MADE = ("System V shared memory", "System V semaphore", "System V queue", "POSIX queue", "POSIX shared memory")
HASTY = "head -c 20M /dev/zero > much; exit 0"
MAKER = "for count in $(seq 1700); do : > $count; done; exit 3"
FITS = "head -c 9M /dev/zero > much; for count in $(seq 200); do echo $count > $count; done; echo well"
BESIDE = (("PreCmd", "PreArguments", 4321), ("PostCmd", "PostArguments", 4322), ("ToolDaemonCmd", "ToolDaemonArguments", 4323))
"""Words of a job that name a program more, and seconds for which each would sleep: without HTCondor's environment, by which it would find it at the job's end."""
OUTSIDE = "for number in $(seq 2 9); do setsid --fork setpriv --reuid wowjob$number --clear-groups sleep 4324 > /dev/null 2>&1 < /dev/null; done"
SLEEPERS = "ps -C sleep -o user:20=,args= | sed -n 's/ *sleep 4324$//p'"
"""Whose they are, of the accounts of eight slots; the neighbour's job has the first."""
TELLS = re.compile(r"The job's (\d+) files take (\d+) KB, and its request_disk gave it (\d+) KB and (\d+) files: ask for more \(request_disk\)")
NOTEBOOK_PROGRAM = ["python3", "-m", "http.server", str(NOTEBOOK)]


def run(tally, pool):
    """alice's jobs on beta beside bob's notebook there."""
    alpha, beta = pool.alpha, pool.beta
    glutton = Job(beta, "bob", "dd if=/dev/zero of=much bs=1M count=40; sleep 600", on=f"alpha.{ZONE}", disk="10M")
    notebook = beta.begin(NOTEBOOK_PROGRAM, "bob")
    neighbour = Job(alpha, "alice", NEIGHBOUR, on=f"beta.{ZONE}", arguments=f"{NEIGHBOURS} {SECRET}")
    server = Job(beta, "bob", NEIGHBOUR, on=f"alpha.{ZONE}", arguments=str(NEIGHBOURS))
    said = {}
    with tally.case("a job that tries to get out of its slot, beside a person's notebook and jobs that listen, ends like any other"):
        until(lambda: listening(beta) >= {NOTEBOOK, NEIGHBOURS} and NEIGHBOURS in listening(alpha), bool, "notebook and neighbours listen")
        places, far = everywhere(pool)
        accounts = "-".join(beta.sh(f"id -u wowjob{number}").strip() for number in (1, 128))
        beta.run("nft", "-f", "-", text_in=LEFT % accounts)
        # As systemd has it where it may: everybody may send echoes, so that the fence alone is asked.
        beta.sh("echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range")
        # As a machine that runs a job of bob's may leave it.
        beta.sh("chmod o+rwx /home/bob")
        # As the image has it: everybody's /var/tmp, seen by the layer that it is written to.
        beta.sh("install -d -m 1777 /run/layers/top/upper/var/tmp")
        said.update(json.loads(Job(alpha, "alice", INTRUDER, on=f"beta.{ZONE}", arguments=" ".join([*places, *far])).result()))
    if said:
        tried(tally, pool, said, places, far)
        beta.run("nft", "delete table inet left")
        beta.sh("chmod o-rwx /home/bob; rm -r /run/layers")
    treated(tally, alpha, beta)
    neighbour.remove()
    server.remove()
    held(tally, alpha, beta, glutton)
    notebook.kill()
    notebook.wait()
    asking(tally, alpha)
    reaching(tally, alpha, beta)


def everywhere(pool):
    """({place that a job must not reach: what is there}, places that it reaches)."""
    alpha, beta = pool.alpha, pool.beta
    places = {f"{host}:{NOTEBOOK}": "a person's notebook" for host in ("127.0.0.1", beta.address)}
    places |= {f"{host}:{NEIGHBOURS}": "another slot" for host in ("127.0.0.1", beta.address)}
    places |= {f"{machine.address}:{port}": f"{machine.name}'s {what}" for machine in pool.machines.values()
               for port, what in ((9618, "HTCondor"), (22, "ssh"), (80, "web page"))}
    places |= {f"{alpha.address}:{port}": "alpha's schedd" for port in listening(alpha, alpha.address) - {9618, NEIGHBOURS}}
    places |= {f"127.0.0.1:{port}": "beta's own service" for port in listening(beta, "127.0.0.1") - {53, NOTEBOOK, NEIGHBOURS}}
    places |= {f"{kind}{host}:{NEIGHBOURS}": "another slot" for kind, host in (("udp/", "127.0.0.1"), ("udp/", beta.address), ("udp/", "::1"), ("", "::1"))}
    places |= {f"icmp/{host}": "its machine" for host in ("127.0.0.1", "::1", beta.address)}
    places |= {place: "the LAN" for place in (f"{LAN}:53", f"dns/{LAN}", f"icmp/{LAN}", f"icmp/{EVERYBODY_6}", f"udp/{EVERYBODY_6}:53")}
    places |= {f"{kind}{ELSEWHERE}{port}": "the world" for kind, port in (("", ":443"), ("udp/", ":443"), ("icmp/", ""))}
    return places, [f"{alpha.address}:{NEIGHBOURS}", f"udp/{alpha.address}:{NEIGHBOURS}", f"icmp/{alpha.address}"]


def tried(tally, pool, said, places, far):
    """What the intruder said of all that it tried."""
    alpha, beta = pool.alpha, pool.beta
    with tally.case("a job reaches what it listens on itself, by loopback and by its machine's address"):
        must(said["own loopback"] == said["own address"] == "open", f"{said['own loopback']}, {said['own address']}")
    with tally.case("a job reaches another machine's job on the overlay, by TCP and UDP, and that machine by an echo"):
        must([said["places"][place] for place in far] == ["open", "answered", "answered"], f"{said['places']}")
    with tally.case("a job reaches no person's program, no other slot, no daemon, no ssh, no machine of the physical network and none of the world, whatever it speaks"):
        reached = {place: what for place, what in places.items() if said["places"][place] in REACHED}
        must(not reached, f"it reaches {reached}")
    with tally.case("not a datagram of a job's comes to another slot, and not a packet leaves by its machine's card, IPv6 and echoes among them"):
        heard = beta.sh(HEARD)
        must("from " not in heard and "from " in alpha.sh(HEARD), f"beta's other slot heard: {heard}")
        left = beta.run("nft", "list", "table", "inet", "left").stdout
        must("counter packets 0 " in left, left)
    with tally.case("a job opens nothing that another slot made by System V or POSIX for all programs to share, and has shared memory of its own"):
        made = beta.sh(HEARD)
        must(all(f"made {what}\n" in made for what in MADE), f"the other slot made: {made}")
        must(not said["shared"] and said["own shared"], f"it opens {said['shared']}; its own: {said['own shared']}")
    with tally.case("a job connects to no Unix socket without a file, HTCondor's and another slot's among them"):
        must("@neighbour" in beta.run("cat", "/proc/net/unix").stdout, "the other slot has none")
        must(not said["abstract"], f"it connects to {said['abstract']}")
    with tally.case("a job connects to no Unix socket with a file but its own, the journal's and the rest of systemd's among them"):
        must(beta.run("test", "-S", "/run/systemd/journal/socket", check=False).returncode == 0, "there is none")
        must(not said["filed"], f"it connects to {said['filed']}")
    with tally.case("a job knows the pool's names and none of the world, whom it ever asks"):
        must(said["names"][f"manager.{ZONE}"] == pool.manager.address, f"{said['names']}")
        must(pool.beta.sh(f"getent hosts {WORLD}", "bob").strip(), "not even a person knows the world's name")
        must(not said["names"][WORLD][0].isdigit() and said["asked past the resolver"] != "answered", f"{said['names']}, {said['asked past the resolver']}")
    with tally.case("a job sees its own processes and no others"):
        must(not said["processes"], f"it sees {said['processes']}")
    with tally.case("a job lists and reads nothing of people, though a home were open to all, of other slots and of the machine"):
        must(not said["files"], f"it reads {said['files']}")
    with tally.case("a job writes to its folder, /tmp, /var/tmp and shared memory of its own, and to no place that outlives it"):
        must(not said["writable"], f"it writes to {said['writable']}")
    with tally.case("a job gets neither user namespaces nor another account by set-uid programs"):
        must(said["user namespace"] == "refused" and said["privileges"] == "none", f"{said['user namespace']}, {said['privileges']}")
    with tally.case("a job attaches not to its machine's tap, where it would be the whole overlay for that machine"):
        must(beta.sh("stat -c %a /dev/net/tun").strip() == "666", "it could not even ask")
        must(said["tap"] == "PermissionError", said["tap"])
    with tally.case("a job makes no control group below its own, whose tree would outlive it and keep the slot's next job out"):
        must(said["control group"] == "BlockingIOError", said["control group"])
    with tally.case("a job that forks without end gets a bounded number of processes"):
        must(said["forks"] < 1024, f"it had {said['forks']}")
    with tally.case("a job puts nothing into its machine's queue"):
        must("submitted to cluster" not in said["submit"] and "Failed to connect" in said["submit"], said["submit"])
    with tally.case("a job reads no queue, neither arguments nor environments of other jobs"):
        must(SECRET not in said["queue read"] and said["queue read"].startswith("1: "), said["queue read"])


def treated(tally, alpha, beta):
    """How a machine treats jobs that begin there, run, and end."""
    with tally.case("a job talks to its own starter (condor_chirp)"):
        chirps = Job(alpha, "alice", CHIRPS, on=f"beta.{ZONE}")
        must(chirps.result().split()[-1:] == ["17"], chirps.result())
    with tally.case("a job whose program cannot be started is held, its log says why, and `wow why` what to look for"):
        wrong = Job(alpha, "alice", "#!/nowhere", on=f"beta.{ZONE}")
        wrong.wait("012", "been held")
        said = alpha.sh(f"cat {wrong.name}.log; wow why {wrong.number}", "alice")
        must("Failed to execute" in said and "No such file or directory" in said and "interpreter" in said, said)
        wrong.remove()
    with tally.case("a job has its signals as every job of HTCondor's has them: SIGPIPE alone is ignored"):
        ignored = Job(alpha, "alice", "grep SigIgn /proc/self/status", on=f"beta.{ZONE}").result().split()
        # The first of real time is the C library's own. Debian 12's has it ignored in what make starts, and nobody in the machine can change that.
        must(int(ignored[1], 16) % (1 << STANDARD) == 1 << signal.SIGPIPE - 1, f"it ignores {ignored}")
    with tally.case("what a job leaves running ends with it"):
        Job(alpha, "alice", "setsid sh -c 'sleep 1234 & sleep 1234' > /dev/null 2>&1 & sleep 1", on=f"beta.{ZONE}").result()
        until(lambda: beta.sh("pgrep -fx 'sleep 1234' || :"), lambda left: not left, "its processes are gone")
    with tally.case("a queue takes no job that names a program beside its own, and no machine runs one: not before it, after it or as its tool"):
        alpha.sh("cat > beside.sub", "alice", text_in='executable = /bin/true\n+PreCmd = "/bin/true"\nqueue\n')
        said = alpha.sh("condor_submit beside.sub 2>&1; :", "alice")
        must("call them from it" in said and "submitted to" not in said, said)
        waits = Job(alpha, "alice", "sleep 3", on=f"beta.{ZONE}", more="hold = true")
        for name, arguments, seconds in BESIDE:
            alpha.sh(f"""condor_qedit {waits.number} {name} '"/usr/bin/env"' {arguments} '"-i setsid --fork sleep {seconds}"'""", "alice")
        alpha.sh(f"condor_release {waits.number}", "alice")
        waits.result()
        begun = "".join(beta.sh(f"pgrep -fx 'sleep {seconds}' || :") for _, _, seconds in BESIDE)
        must(not begun, f"machines run {begun}")
    with tally.case("what runs in a slot's account when its next job comes is ended first"):
        beta.sh(OUTSIDE)
        until(lambda: beta.sh(SLEEPERS).split(), lambda names: len(names) == 8, "they run")
        account = Job(alpha, "alice", "id -un", on=f"beta.{ZONE}").result().strip()
        names = beta.sh(SLEEPERS).split()
        must(len(names) == 7 and account not in names, f"the job had {account}, and there are {names}")
        beta.sh("pkill -fx 'sleep 4324'")


def held(tally, alpha, beta, glutton):
    """Jobs of bob's that write more than they asked for, of which the glutton runs."""
    with tally.case("a job that ends with more disk or more files than it asked for is held whatever it says of itself, one with less ends, and the reason has figures"):
        hasty = Job(beta, "bob", HASTY, on=f"alpha.{ZONE}", disk="10M")
        maker = Job(beta, "bob", MAKER, on=f"alpha.{ZONE}", disk="10M")
        must((20 << 10, 5) < is_held(hasty) < (21 << 10, 50), "it wrote something else")
        must((0, 1700) < is_held(maker) < (100, 1750), "it wrote something else")
        fits = Job(beta, "bob", FITS, on=f"alpha.{ZONE}", disk="10M")
        must("well" in fits.result() and not fits.has("012"), "it is held")
    with tally.case("a job that writes more than it asked for is held while it runs, and the reason has the same figures"):
        must((40 << 10, 5) < is_held(glutton) < (41 << 10, 50), "it wrote something else")
    with tally.case("a job that ends with more than it asked for, and whose output goes back slowly, is held by its queue alone"):
        alpha.run("nft", "-f", "-", text_in=NARROW)
        slow = Job(beta, "bob", HASTY, on=f"alpha.{ZONE}", disk="10M")
        must((20 << 10, 5) < is_held(slow) < (21 << 10, 50), "it wrote something else")
        alpha.run("nft", "delete", "table", "inet", "narrow")
        must(alpha.sh(PREEMPTED).strip() == "0", "the machine would hold one, too")
    with tally.case("each starter learns from its startd what disk its job has"):
        said = "".join(machine.sh("journalctl -q -t starter") for machine in (alpha, beta))
        must("not known" not in said, said)
        logs = beta.sh("cat /var/log/condor/StarterLog.slot*")
        must("Operation not permitted" not in logs, f"a starter is kept from whom it speaks to: {logs[-3000:]}")


def asking(tally, alpha):
    """Jobs that ask for what is not theirs."""
    alpha.sh("umask 077 && echo bobs > secret.txt", "bob")
    with tally.case("a job that asks to run as its owner, or names a slot's account as its owner, is refused with a reason"):
        for line, why in (("run_as_owner = true", "runs in the account of its slot"), ('My.Owner = "wowjob1"', "wowjob1")):
            said = refusal(alpha, line)
            must(why in said and "submitted to cluster" not in said, f"{line}: {said}")
    with tally.case("a job that asks for another person's file is refused or held, and the reason names the file"):
        said = refusal(alpha, "transfer_input_files = /home/bob/secret.txt")
        if "submitted to cluster" in said:
            number = said.split("cluster ")[1].split(".")[0]
            until(lambda: alpha.sh(f"condor_q {number} -af JobStatus", "alice").strip(), lambda state: state == "5", f"job {number} is held: {said}")
            said = alpha.sh(f"condor_q {number} -af HoldReason; condor_rm {number} > /dev/null", "alice")
        # Why it cannot be read HTCondor leaves out.
        must("reading from file /home/bob/secret.txt" in said or "ermission denied" in said, said)


def reaching(tally, alpha, beta):
    """A machine that reaches for other files of the person whose job it runs."""
    with tally.case("a machine that runs a job leaves by no link the folder that the job was submitted from, as it would by HTCondor's own shadow"):
        beta.sh(LYING)
        alpha.sh(f"echo 'SHADOW = /usr/sbin/condor_shadow' > {BARE}; condor_reconfig -schedd")
        said, outside = reached(alpha)
        must(said[:3] == ["cookie done", "symlink done", "link done"] and outside == ["planted", "linked"], f"the machine does not even try: {said}, {outside}")
        alpha.sh(f"rm {BARE}; condor_reconfig -schedd")
        said, outside = reached(alpha)
        must(said == ["cookie done", *(f"{what} refused" for what in ("symlink", "link", "open", "open"))] and not outside, f"{said}, {outside}")
        must("by the machine" in alpha.sh("cat leads/planted", "alice"), "its output did not come")
    with tally.case("a machine that runs a job whose output is streamed reads the folder that the job was submitted from, and nothing beside it"):
        said, outside = reached(alpha, "stream_output = true")
        must(said[3:] == ["open refused", "open done"] and not outside, f"{said}, {outside}")
        beta.sh(f"rm {LIES}; condor_restart -fast -startd")
    with tally.case("a job that would have its machine do as it likes with all files of its person is refused with a reason"):
        for line in ("want_io_proxy = true", "+WantRemoteUpdates = true"):
            said = refusal(alpha, line)
            must("all your files" in said and "submitted to cluster" not in said, f"{line}: {said}")
    with tally.case("a job's state comes into its queue's own folder, and it goes on from there"):
        saves = Job(alpha, "alice", SAVES, on=f"beta.{ZONE}", more=KEEPS).ready(beta)
        alpha.sh(f"condor_vacate_job {saves.number}", "alice")
        must(saves.result().split()[0] == "saved", saves.result())


def reached(alpha, more=""):
    """What a machine that lies says of what it tried by a job of alice's, and what it made outside of the job's folder."""
    alpha.sh(PLACES, "alice")
    said = Job(alpha, "alice", REACHES, on=f"beta.{ZONE}", more=f"{more}\ntransfer_output_files = leads").result().splitlines()
    return said, alpha.sh("ls /var/tmp/outside; ls linked 2> /dev/null || :", "alice").split()


def refusal(machine, line):
    """What condor_submit says to alice of a job with a line more."""
    machine.sh("cat > asks.sub", "alice", text_in=f"executable = /bin/true\ntransfer_executable = false\nlog = asks.log\n{line}\nqueue\n")
    return machine.sh("condor_submit asks.sub 2>&1; :", "alice")


def is_held(job):
    """The KiB and files that a job is held for, in its log and for `wow why`; it is removed then."""
    job.wait("012", "been held")
    log = job.machine.sh(f"cat {job.name}.log", job.user)
    found = TELLS.search(log)
    must(found, f"the reason is another one:\n{log}")
    must("condor_qedit" in job.machine.sh(f"wow why {job.number}", job.user), "wow why does not say how it gets more")
    job.remove()
    return int(found[2]), int(found[1])


def listening(machine, host=None):
    """The ports on which a machine listens over TCP, or only those on one address."""
    lines = machine.run("ss", "-Hltn").stdout.splitlines()
    places = [line.split()[3].rsplit(":", 1) for line in lines]
    return {int(port) for place, port in places if host in (None, place)}
