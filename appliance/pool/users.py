"""People of a pool: NAME=FILE.pub as it is typed."""

import pathlib

from pool.node import WowError

LARGEST = 16 * 1024
"""Bytes of a file with a public key; RSA's largest have 3 KiB."""


def read(words, option="--user"):
    """{name: OpenSSH key} of NAME=FILE.pub words of an option; WowError names what is wrong. Whether name and key are right is the reader's to say
    (`conf.judge`)."""
    found = {}
    for word in words:
        name, equals, path = word.partition("=")
        if not equals or not name or not path:
            raise WowError("is not NAME=FILE.pub", "Write it like alice=alice.pub", f"{option} {word}")
        if name in found:
            raise WowError("stands twice", "Give each name once", f"{option} {name}")
        found[name] = key_of(pathlib.Path(path), f"{option} {name}")
    return found


def key_of(path, shown):
    """The one public key in a file."""
    todo = "Give the file that ends in .pub, of one line, like ~/.ssh/id_ed25519.pub"
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(LARGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise WowError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}", todo, shown) from None
    if "PRIVATE KEY" in text:
        raise WowError(f"{path} is the private key, which nobody else may have", todo, shown)
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) != 1 or len(text) > LARGEST:
        raise WowError(f"{path} holds {len(lines)} lines, not the one of a public key", todo, shown)
    return lines[0]
