"""wow ping"""
import json
import time

from wow.lib import control, paths
from wow.lib.verb import JSON, SOCKET, Given, Option, UsageError, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, TypedDict

    from wow.lib.answers import Ping, Target

    class Numbered(Ping):
        """An answer and which ping it is to, from 1."""
        number: int

    class Result(TypedDict):
        """All answers and what they come to; loss is 0 to 1."""
        target: Target | None
        sent: int
        received: int
        loss: float | None
        min_ms: float | None
        avg_ms: float | None
        max_ms: float | None
        paths: dict[str, int]
        answers: list[Numbered]

COUNT = Option("--count", "N", "so many pings, 4 if it is not given", short="-c")
INTERVAL = Option("--interval", "SECONDS", "from one ping to the next, 1 if it is not given", short="-i")
TIMEOUT = Option("--timeout", "SECONDS", "how long each answer is waited for, 5 if it is not given", short="-W")
MOST = 1_000_000
WHICH = "name one node: its virtual address, its host name, or its node address as `wow peers` shows it"


def run(given: Given) -> int:
    """Pings; exit code 1 if nothing answered."""
    if len(given.words) != 1:
        raise UsageError(WHICH)
    count = whole(given.get(COUNT, "4"), COUNT)
    interval, timeout = seconds(given.get(INTERVAL, "1"), INTERVAL, 0.01), seconds(given.get(TIMEOUT, "5"), TIMEOUT, 0.001)
    result = ping(given.words[0], count, interval, timeout, given.get(SOCKET, paths.SOCKET), silent if given.has(JSON) else tell)
    if given.has(JSON):
        print(json.dumps(result))
    else:
        print("\n".join(summary(result)))
    return 0 if result["received"] else 1


def silent(_: str) -> None:
    """For programs: the result says all."""


def tell(text: str) -> None:
    """For people, who look on."""
    print(text, flush=True)


def ping(target: str, count: int, interval: float, timeout: float, path: str, show: "Callable[[str], None]") -> "Result":
    """All pings and what they come to; `show` gets a line for each. interval, timeout: seconds."""
    answers: list[Numbered] = []
    begin = time.monotonic()
    for number in range(1, count + 1):
        try:
            # Beyond ipopd's own patience: finding the node may ask the ring first.
            answer = control.ping(target, path, timeout + 15, int(timeout * 1000))
        except KeyboardInterrupt:
            break
        answers.append({
            "number": number, "target": answer["target"], "session": answer["session"], "rtt_ms": answer["rtt_ms"], "wait_ms": answer["wait_ms"],
            "path": answer["path"], "endpoint": answer["endpoint"], "relay": answer["relay"], "boot": answer["boot"],
            "boot_met_s": answer["boot_met_s"]})
        show(line(answers[-1]))
        if number < count:
            try:
                time.sleep(max(0.0, begin + number * interval - time.monotonic()))
            except KeyboardInterrupt:
                break
    return collected(answers)


def collected(answers: "list[Numbered]") -> "Result":
    """The figures over all answers."""
    times = [answer["rtt_ms"] for answer in answers if answer["rtt_ms"] is not None]
    used = [answer["path"] for answer in answers if answer["path"]]
    return {
        "target": answers[-1]["target"] if answers else None, "sent": len(answers), "received": len(times),
        "loss": 1 - len(times) / len(answers) if answers else None,
        "min_ms": min(times, default=None), "avg_ms": sum(times) / len(times) if times else None, "max_ms": max(times, default=None),
        "paths": {path: used.count(path) for path in sorted(set(used))}, "answers": answers}


def line(answer: "Numbered") -> str:
    """One ping for people."""
    who = name(answer["target"])
    if answer["rtt_ms"] is None or answer["path"] is None:
        return f"{who}: no answer" if answer["session"] else f"{who}: no session could be made"
    way = {"direct": f"direct from {answer['endpoint']}", "relay": f"over the relay {(answer['relay'] or '')[:8]}", "ring": "over the ring"}[answer["path"]]
    waited = f", {answer['wait_ms']:.0f} ms before it to make a session" if answer["wait_ms"] >= 1 else ""
    return f"{who}: {answer['rtt_ms']:.2f} ms, {way}{waited}"


def summary(result: "Result") -> list[str]:
    """The figures for people."""
    if result["loss"] is None:
        return ["nothing was sent"]
    lines = [f"{result['sent']} sent, {result['received']} answered, {result['loss']:.0%} lost"]
    if result["received"]:
        lines.append(f"round trip: least {result['min_ms']:.2f} ms, mean {result['avg_ms']:.2f} ms, most {result['max_ms']:.2f} ms; "
                     + ", ".join(f"{count} by {path}" for path, count in result["paths"].items()))
    else:
        lines.append("Nothing answers. `wow trace` shows the way there, `wow doctor` what is wrong with this machine.")
    return lines


def name(target: "Target") -> str:
    """What to call a node."""
    return " ".join(part for part in (target["host"], target["address"] or target["node"][:8]) if part)


def whole(text: str, option: Option) -> int:
    """A count from the command line."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST:
        raise UsageError(f"{option.name} {text} is not a number from 1 to {MOST}")
    return int(text)


def seconds(text: str, option: Option, least: float) -> float:
    """A time from the command line."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not least <= value <= 60:
        raise UsageError(f"{option.name} {text} is not a number of seconds from {least} to 60")
    return value


VERB = Verb("ping", "NODE", "pings a node inside the overlay, by the path that packets take: round trip, loss, and how each answer came",
            (COUNT, INTERVAL, TIMEOUT, JSON, SOCKET), run)
