"""tshark with the dissector of ipop/wireshark."""

import pathlib
import subprocess

from overlay_frames import Frame

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "ipop/wireshark/wow.lua"
_FIELDS = ("type", "sender_index", "receiver_index", "offset", "ack", "counter", "data.length", "sealed.length")
_VERDICTS = {
    "Unknown type of frame: nodes drop it": "type",
    "Too short: nodes drop it": "short",
    "Too long: nodes drop it": "long",
    "Unknown version: nodes drop it": "version",
    "Reserved bytes are not zero": "reserved",
    "A sender's index of 0: nodes drop it": "index",
    "The stream holds no TLS records": "stream",
}


def fields(capture, *names, port=4433, only="", extra=()):
    """Asks for fields; yields a list of texts a frame, of a repeated field the texts joined by a bar."""
    command = ["tshark", "-n", "-X", f"lua_script:{SCRIPT}", "-o", f"wownet.port:{port}", "-r", str(capture), *extra, "-T", "fields", "-E", "separator=/t",
               "-E", "aggregator=|"]
    for name in names:
        command += ["-e", name]
    ended = subprocess.run(command + (["-Y", only] if only else []), capture_output=True, text=True, timeout=60, check=False)
    if ended.returncode or "Lua" in ended.stderr:
        raise AssertionError(f"tshark: exit {ended.returncode}: {ended.stderr.strip()}")
    return [line.split("\t") for line in ended.stdout.splitlines()]


def frames(capture, port=4433):
    """What the dissector says of each of its frames: {number: Frame}. Words of other dissectors that find fault are verdicts too."""
    found = {}
    for number, protocol, experts, *values in fields(
            capture, "frame.number", "_ws.col.Protocol", "_ws.expert.message", *("wownet." + name for name in _FIELDS), port=port):
        if values[0]:
            if protocol != "WOW":
                raise AssertionError(f"frame {number}: the column says {protocol}")
            kind, sender, receiver, offset, ack, counter, *lengths = (int(value, 0) if value else None for value in values)
            verdicts = tuple(_VERDICTS.get(word, word) for word in experts.split("|") if word)
            found[int(number)] = Frame(kind, verdicts, sender, receiver, offset, ack, counter, lengths[kind & 1])
    return found
