"""wow image"""
import os

from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Option, UsageError, Verb

TOOLS = ("stamp", "convert", "verify", "stack")


def run(given: Given) -> int:
    """Hands over to the tool in appliance/image of the clone."""
    if not given.words or given.words[0] not in TOOLS:
        raise UsageError(f"name the tool: {', '.join(TOOLS)}")
    tool = os.path.join(repository(), "appliance", "image", given.words[0])
    if not os.access(tool, os.X_OK):
        raise WowError("is missing", f"Run this from a clone of the repository: appliance/wow image {given.words[0]}", tool)
    os.execv(tool, [tool, *given.words[1:]])


def repository() -> str:
    """The clone that this file stands in: appliance/node/root/usr/lib/wow/node/wow/verbs is nine folders down."""
    folder = os.path.dirname(os.path.abspath(__file__))
    for _ in range(9):
        folder = os.path.dirname(folder)
    return folder


VERB = Verb("image", "stamp IMAGE POOL.CONF | convert IMAGE | verify IMAGE | stack MODULE...", "on the building machine: puts a pool.conf into an image, writes one in "
            "another hypervisor's format, says what is in one; makes modules a stack for `wow-ca publish`", (
    Option("--out", "OUT", "what to write; without it stamp changes a disk that holds a whole machine in place, and stack writes the folder stack; of convert "
           "its end says the format: .qcow2, .vhdx, .vmdk, .raw, .raw.tar.gz", short="-o"),
    Option("--system", "", "of stack: machines take base, node's layer, kernel and initrd of this image, too"),
    Option("--update", "", "of stack: recipes take newer Debian packages than their packages.lock names, and say which"),
    Option("--choice", "'NAME ...'", "of stack: modules that a pool.conf may choose of more than five, so that they work alone; again for more"),
    Option("--from", "FORMER", "of stack: what machines have now, a stack folder or an image, so that they fetch what changed alone; again for more"),
    Option("--architecture", "NAME", "of stack: whose machines take it, amd64 or arm64; amd64 without it"),
    Option("--beside", "OTHER", "of stack: a stack folder for the other architecture, whose part this one has, too"),
    Option("--manager", "FOLDER", "for the pool's manager: node.key, node.pem and ca/"),
    Option("--managers", "FILE", "the list of managers that `wow-ca managers` signed; a manager that it names may be without ca/"),
    Option("--keys", "FILE", "the keys that sign the pool's stack, keys.notice or a machine's notice-5: its machine believes no other first ones"),
    Option("--machine", "FOLDER", "for one machine whose address is assigned: node.key and node.pem of `wow-ca machine`"),
    Option("--iso", "", "makes a CD with the configuration, for any image; then no IMAGE is named"),
    Option("--config", "FOLDER", "makes the configuration disk alone from a folder laid out as the disk, unchecked"),
    Option("--lines", "POOL.CONF", "prints what programs need of it that cannot read it: modules, user, role"), JSON), run, TOOLS, takes_all=True)
