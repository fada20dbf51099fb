"""Says what went wrong: which step, which machine, and the last lines of the log that explain it."""


def failure(error, consoles, evidence=None):
    """Lines of text for a LabError; consoles is {machine: Console}, evidence the folder with what the machines still told."""
    where = [f"step: {error.step}"] if error.step else []
    where += [f"machine: {error.machine}"] if error.machine else []
    first, *rest = str(error).split("\n")
    lines = ["FAILED" + (" (" + ", ".join(where) + ")" if where else "") + f": {first}", *("  " + line for line in rest)]
    lines += kept(evidence)
    console = consoles.get(error.machine)
    if console is None:
        return lines
    complaint = console.last("error")
    if complaint is not None:
        lines.append(f"{error.machine} says: {complaint.text}")
    lines.append(f"the last lines of {console.path}:")
    return lines + ["  | " + line for line in console.tail()]


def kept(evidence):
    """Lines that name the folder of the machines' logs, where there is one."""
    return [f"what every machine still told (journal, HTCondor's logs, IPsec, fence): {evidence}"] if evidence else []
