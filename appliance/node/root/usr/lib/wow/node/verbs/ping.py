"""wow ping"""
import json
import time

import control
import dispatch
from generate import paths

USAGE = "wow ping NODE [--count N] [--interval SECONDS] [--timeout SECONDS] [--json] [--socket PATH]"
SUMMARY = "pings a node inside the overlay, by the path that packets take: round trip, loss, and how each answer came"
MOST = 1_000_000


def run(arguments):
    """Pings; exit code 1 if nothing answered."""
    found, words = dispatch.options(arguments, ("--json",), ("--count", "-c", "--interval", "-i", "--timeout", "-W", "--socket"))
    if len(words) != 1:
        raise dispatch.UsageError("name one node: its virtual address, its host name, or its node address as `wow peers` shows it")
    count = whole(found.get("--count", found.get("-c", "4")), "--count")
    interval = seconds(found.get("--interval", found.get("-i", "1")), "--interval", 0.01)
    timeout = seconds(found.get("--timeout", found.get("-W", "5")), "--timeout", 0.001)
    show = (lambda line: None) if "--json" in found else (lambda line: print(line, flush=True))
    result = ping(words[0], count, interval, timeout, found.get("--socket", paths.SOCKET), show)
    if "--json" in found:
        print(json.dumps(result))
    else:
        print("\n".join(summary(result)))
    return 0 if result["received"] else 1


def ping(target, count, interval, timeout, path, show):
    """All pings and what they come to; `show` gets a line for each."""
    answers = []
    begin = time.monotonic()
    for number in range(1, count + 1):
        try:
            # Beyond ipopd's own patience: finding the node may ask the ring first.
            answer = control.ask("ping", path, timeout + 15, target=target, timeout_ms=int(timeout * 1000))
        except KeyboardInterrupt:
            break
        answers.append({"number": number, **{key: value for key, value in answer.items() if key != "ok"}})
        show(line(answers[-1]))
        if number < count:
            try:
                time.sleep(max(0.0, begin + number * interval - time.monotonic()))
            except KeyboardInterrupt:
                break
    return collected(answers)


def collected(answers):
    """The figures over all answers."""
    times = [answer["rtt_ms"] for answer in answers if answer["rtt_ms"] is not None]
    used = [answer["path"] for answer in answers if answer["path"]]
    return {
        "target": answers[-1]["target"] if answers else None, "sent": len(answers), "received": len(times),
        "loss": 1 - len(times) / len(answers) if answers else None,
        "min_ms": min(times, default=None), "avg_ms": sum(times) / len(times) if times else None, "max_ms": max(times, default=None),
        "paths": {path: used.count(path) for path in sorted(set(used))}, "answers": answers}


def line(answer):
    """One ping for people."""
    who = name(answer["target"])
    if answer["rtt_ms"] is None:
        return f"{who}: no answer" if answer["session"] else f"{who}: no session could be made"
    way = {"direct": f"direct from {answer['endpoint']}", "relay": f"over the relay {(answer['relay'] or '')[:8]}", "ring": "over the ring"}[answer["path"]]
    waited = f", {answer['wait_ms']:.0f} ms before it to make a session" if answer["wait_ms"] >= 1 else ""
    return f"{who}: {answer['rtt_ms']:.2f} ms, {way}{waited}"


def summary(result):
    """The figures for people."""
    if not result["sent"]:
        return ["nothing was sent"]
    lines = [f"{result['sent']} sent, {result['received']} answered, {result['loss']:.0%} lost"]
    if result["received"]:
        lines.append(f"round trip: least {result['min_ms']:.2f} ms, mean {result['avg_ms']:.2f} ms, most {result['max_ms']:.2f} ms; "
                     + ", ".join(f"{count} by {path}" for path, count in result["paths"].items()))
    else:
        lines.append("Nothing answers. `wow trace` shows the way there, `wow doctor` what is wrong with this machine.")
    return lines


def name(target):
    """What to call a node."""
    return " ".join(part for part in (target["host"], target["address"] or target["node"][:8]) if part)


def whole(text, option):
    """A count from the command line."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST:
        raise dispatch.UsageError(f"{option} {text} is not a number from 1 to {MOST}")
    return int(text)


def seconds(text, option, least):
    """A time from the command line."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not least <= value <= 60:
        raise dispatch.UsageError(f"{option} {text} is not a number of seconds from {least} to 60")
    return value
