"""
The control group of this machine's jobs, in which each slot has its own. HTCondor gives a job's account that one, so that the job may make groups below it
(proc_family_direct_cgroup_v2.cpp). A tree of them whose path is longer than a path may be HTCondor cannot take away: then the kernel lets no later job of that
slot in. And of groups that count memory the whole machine has 65,535. So the kernel makes none there.
"""
import posix  # as in libc.py

GROUPS = ("/sys/fs/cgroup/system.slice/condor.service/htcondor", "/sys/fs/cgroup/htcondor")
"""Where it is; the second on a kernel that has control groups of the first version, too, as machines of test/pool may."""
DEPTH = "cgroup.max.depth"


def bound() -> None:
    """Lets a slot's group have none below it. The unit's is made before the first job, which so is bound, too: HTCondor takes one that is there. OSError if the kernel
    refuses it."""
    try:
        posix.mkdir(GROUPS[0], 0o755)
    except (FileExistsError, FileNotFoundError):
        pass  # it is there, or the unit has none
    for group in GROUPS:
        try:
            file = posix.open(f"{group}/{DEPTH}", posix.O_WRONLY)
        except FileNotFoundError:
            continue
        try:
            posix.write(file, b"1")
        finally:
            posix.close(file)
