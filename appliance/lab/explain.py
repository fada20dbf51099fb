"""Says what went wrong: which step, which machine, and the last lines of the log that explain it."""


def failure(error, consoles):
    """Lines of text for a LabError; consoles is {machine: Console}."""
    where = [f"step: {error.step}"] if error.step else []
    where += [f"machine: {error.machine}"] if error.machine else []
    lines = ["FAILED" + (" (" + ", ".join(where) + ")" if where else ""), *("  " + line for line in str(error).split("\n"))]
    console = consoles.get(error.machine)
    if console is None:
        return lines
    complaint = console.last("error")
    if complaint is not None:
        lines.append(f"{error.machine} says: {complaint.text}")
    lines.append(f"the last lines of {console.path}:")
    return lines + ["  | " + line for line in console.tail()]
