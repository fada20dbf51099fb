"""What to do about a held job, by HTCondor's code for why it is held (manual, "Job ClassAd Attributes", HoldReasonCode)."""

RELEASE = "then condor_release {number}"
REMEDIES = {
    1: "Let it go on when you want: condor_release {number}",
    3: "Its own submit file had it held. Look at its periodic_hold, " + RELEASE,
    6: "Look whether the program is there, may be run, is for this system, and names an interpreter in its first line that machines have, " + RELEASE,
    7: "Look whether the folder of its output is there and yours, " + RELEASE,
    8: "Look whether its input file is there and yours to read, " + RELEASE,
    9: "Look whether the folder of its output is there and yours, " + RELEASE,
    10: "Look whether its input file is there and yours to read, " + RELEASE,
    12: "Look whether your folder has room, and whether the program wrote the files of transfer_output_files, all of them before it was sent away "
        "(when_to_transfer_output = ON_EXIT_OR_EVICT), " + RELEASE,
    13: "Look whether the files of transfer_input_files are there and yours to read, " + RELEASE,
    14: "Look whether the folder that it was submitted from is there and yours, " + RELEASE,
    15: "Let it go on when you want: condor_release {number}",
    16: "Its files are still being sent. Wait",
    20: "Its time (deferral_time) went by. Submit it again with another",
    22: "Look whether the folder of its log is there and yours, " + RELEASE,
    32: "Send less input, or raise max_transfer_input_mb, " + RELEASE,
    33: "Return less output, or raise max_transfer_output_mb, " + RELEASE,
    46: "Give it more time (allowed_job_duration), or have it do less",
    47: "Give it more time (allowed_execute_duration), or have it do less",
}
MORE = {
    "Memory": "Give it more memory: condor_qedit {number} RequestMemory MEGABYTES, " + RELEASE,
    "Disk": "Give it more disk: condor_qedit {number} RequestDisk KILOBYTES, " + RELEASE,
}
BY_MACHINE, BY_QUEUE, NO_MORE = 21, 26, 34
DISK_SUBCODE, MEMORY_SUBCODE = 104, 102
"""HoldReasonSubCode of HTCondor's policies HOLD_IF_DISK_EXCEEDED and HOLD_IF_MEMORY_EXCEEDED, of ours, and of the kernel's end of what took too much memory."""
OTHERS = "Mend what the reason says, " + RELEASE


def todo(code: int, subcode: int, number: str) -> str:
    """What to do, in a sentence without its full stop."""
    if code in (BY_MACHINE, BY_QUEUE, NO_MORE) and subcode in (DISK_SUBCODE, MEMORY_SUBCODE):
        return MORE["Disk" if subcode == DISK_SUBCODE else "Memory"].format(number=number)
    return REMEDIES.get(code, OTHERS).format(number=number)
