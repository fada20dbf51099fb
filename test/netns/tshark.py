"""tshark with the dissector of ipop/wireshark. It runs as nobody: tshark 4.4 passes over scripts in silence when it is root."""

import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

from overlay_frames import DATA, ESP, HANDSHAKE, Frame

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "ipop/wireshark/wow.lua"
_WARNING = 0x600000  # severities below are remarks
_FIELDS = ("type", "sender_index", "receiver_index", "offset", "ack", "counter", "data.length", "sealed.length")
_VERDICTS = {
    "Unknown type of frame: nodes drop it": "type",
    "Too short: nodes drop it": "short",
    "Too long: nodes drop it": "long",
    "Unknown version: nodes drop it": "version",
    "Reserved bytes are not zero": "reserved",
    "A sender's index of 0: nodes drop it": "index",
    "Unknown kind of knock: nodes drop it": "kind",
    "The stream holds no TLS records": "stream",
}


@contextlib.contextmanager
def _readable(script):
    """A copy that nobody may read, in a folder that is tshark's home, so that nobody's settings and plugins have a say."""
    with tempfile.TemporaryDirectory(prefix="wow-tshark-") as folder:
        os.chmod(folder, 0o755)
        copy = pathlib.Path(folder) / script.name
        shutil.copyfile(script, copy)
        os.chmod(copy, 0o644)
        yield copy


def fields(capture, *names, port=4433, only="", looks_first=False):
    """Asks for fields; returns a list of texts a frame, of a repeated field the texts joined by a bar.

    looks_first: looks count before ports, for a NAT's port, or one that was guessed, may be registered for something else."""
    nobody = pwd.getpwnam("nobody")
    drop = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    with _readable(SCRIPT) as script, open(capture, "rb") as packets:
        command = ["tshark", "-n", "-X", f"lua_script:{script}", "-o", f"wownet.port:{port}", "-r", "-", "-T", "fields", "-E", "separator=/t",
                   "-E", "aggregator=|"]
        command += ["-o", f"udp.try_heuristic_first:{str(looks_first).upper()}"]
        for name in names:
            command += ["-e", name]
        ended = subprocess.run(
            command + (["-Y", only] if only else []), stdin=packets, capture_output=True, text=True, timeout=240, check=False,
            cwd=script.parent, env={"PATH": os.environ["PATH"], "HOME": str(script.parent), "LC_ALL": "C.UTF-8"}, **drop)
    if ended.returncode or "Lua" in ended.stderr:
        raise AssertionError(f"tshark: exit {ended.returncode}: {ended.stderr.strip()}")
    return [line.split("\t") for line in ended.stdout.splitlines()]


def frames(capture, port=4433, looks_first=False):
    """What the dissector says of each of its frames: {number: Frame}. Words of other dissectors that find fault are verdicts too."""
    found = {}
    for number, protocol, words, severities, *values in fields(
            capture, "frame.number", "_ws.col.Protocol", "_ws.expert.message", "_ws.expert.severity", *("wownet." + name for name in _FIELDS), port=port,
            looks_first=looks_first):
        if values[0]:
            if protocol != "WOW":
                raise AssertionError(f"frame {number}: the column says {protocol}")
            kind, sender, receiver, offset, ack, counter, *lengths = (int(value, 0) if value else None for value in values)
            experts = zip(words.split("|"), severities.split("|")) if words else ()
            verdicts = tuple(_VERDICTS.get(word, word) for word, severity in experts if int(severity, 0) >= _WARNING)
            found[int(number)] = Frame(kind, verdicts, sender, receiver, offset, ack, counter, lengths[kind & 1] if kind in (HANDSHAKE, DATA, ESP) else None)
    return found
