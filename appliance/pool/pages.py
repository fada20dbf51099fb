"""What people read: START.md for the admin, and the pages that go with the images."""

import pathlib
import re
import string

from pool import durable, here
from pool.formats import ARM
from pool.node import agreed

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
LINK = re.compile(r"\[([^]]+)\]\((?!https?:)[^)]*\)")
"""A link to a file of the clone, which the reader of a page alone does not have."""
PICTURE = re.compile(r"^!\[[^]]*\]\([^)]*\)\n\n?", re.MULTILINE)
"""A picture on a line of its own."""
DECISION = re.compile(r"\s\(\[\d{4}\]\([^)]*\)\)")
"""Where a sentence names the decision behind it."""


def texts(pool):
    """{path: text} of all pages."""
    folder, told = pool.folder, pool.settings
    start = string.Template((HERE / "START.md.in").read_text(encoding="utf-8")).substitute(
        name=told.name, host=told.host, port=told.port, subnet=told.subnet, folder=folder.typed, ticket=newest(pool),
        manager_until=first_until(pool, agreed.MANAGER_LABEL), people=people(told.users), admins=admins(told, folder.typed),
        machine=machine(told, folder.typed), command=here.ANYWHERE, image=agreed.IMAGE_NAME, others=others(pool), arm=arm(told, folder.typed))
    return {folder.start: start, folder.for_volunteers / "volunteer.md": page("volunteer.md"),
            folder.for_volunteers / "hypervisors.md": page("hypervisors.md"), folder.for_scientists / "scientist.md": page("scientist.md"),
            folder.for_scientists / "hypervisors.md": page("hypervisors.md"), folder.for_scientists / "jobs.md": page("jobs.md")}


def write(found):
    """Writes them, each whole."""
    for path, text in found.items():
        path.parent.mkdir(0o700, exist_ok=True)
        durable.write(path, text)


def page(name):
    """A page of docs/, for who has nothing else."""
    return LINK.sub(r"\1", DECISION.sub("", PICTURE.sub("", (DOCS / name).read_text(encoding="utf-8"))))


def newest(pool):
    """What the ticket in the images admits."""
    told = pool.tickets()[-1]
    if day := pool.over():
        return f"The ticket {told['id']}, which is in the images, ended on {day} and admits nobody."
    return f"The ticket {told['id']} admits {told['machines']} machines until {told['not_after'][:10]}."


def people(users):
    """Who may log in, in words."""
    return ", ".join(users) if users else "nobody yet"


def admins(told, typed):
    """Who may ask the CA on the manager, and how. typed: the pool's folder, as one types it."""
    command = f"{here.ANYWHERE} pool admin add {typed} NAME=FILE.pub"
    if not told.admins:
        return ("Nobody logs in to the manager, so nobody can take a machine's certificate back. To be able to, type\n"
                f"`{command}`, then do what it says.")
    there = f"ssh {next(iter(told.admins))}@{told.host} wow-ca"
    return (f"These people may log in to the manager, by ssh key, and ask its CA: {people(told.admins)}.\n"
            f"`{there} list` shows all machines, `{there} revoke HOST` takes one\n"
            f"back, `{there} help` says what else there is. Over the pool's network no machine takes ssh. For others type\n"
            f"`{command}`, then do what it says.")


def others(pool):
    """What to start for the managers beside the first; nothing where there is none."""
    found = []
    for one in pool.settings.managers:
        stem = f"{pool.folder.for_other(one['host']).name}/{pool.settings.name}-manager-{one['host']}"
        where = f"at **{one['at'].rpartition(':')[0]}** (UDP port {one['at'].rpartition(':')[2]})" if one["at"] else "at any place"
        found.append(f"\nThen start the manager {one['host']} in the same way {where}, before **{first_until(pool, one['host'])}** and once: `{stem}.ova`, or "
                     f"`{stem}.qcow2` with `{stem}-config.img`. It matches jobs while the first one is away.\n")
    return "".join(found)


def arm(told, typed):
    """Who gets the files for arm64, or how they come."""
    if not told.arm64:
        return (f"- For Macs with Apple's chips, and for boards with an ARM processor, there are no files yet. `make image ARCH={ARM.arch}` in the clone\n"
                f"  makes that image, then `{here.ANYWHERE} pool stamp {typed} --arm64` makes the files.")
    return (f"- Who has a Mac with an Apple chip gets `for-volunteers/{told.name}-arm64.utm.zip` instead: a double click unpacks it, the next one opens\n"
            f"  the machine in UTM. For a board or another computer with an ARM processor it is `for-volunteers/{told.name}-arm64.qcow2`, one disk\n"
            "  for QEMU, libvirt and Proxmox.")


def machine(told, typed):
    """Which file a scientist starts."""
    if not told.login:
        return (f"- The same `for-volunteers/{told.name}.ova`: they start a machine of their own, log in there and submit jobs.\n"
                f"  For laptops, `{here.ANYWHERE} pool stamp {typed} --login` makes a machine that has a queue and runs no jobs.")
    stem = f"for-scientists/{told.name}-login"
    return (f"- `{stem}.ova`, to those with a laptop: a machine that has a queue and runs no jobs. They log in there and\n"
            f"  submit jobs. (`{stem}.qcow2` and `{stem}-config.img` are the same for QEMU, libvirt\n  and Proxmox; whoever takes another form of the image puts"
            f" `{stem}-config.iso` into the machine's CD drive.\n  `{stem}.vhdx` with `{stem}.ps1` is the same for Hyper-V.)\n"
            + (f"- `{stem}-arm64.utm.zip` is the same for Macs with Apple's chips, `{stem}-arm64.qcow2` for other computers\n  with ARM processors.\n"
               if told.arm64 else "")
            + f"- Or the volunteers' `{told.name}.ova`, to those whose computer shall run jobs, too.")


def first_until(pool, host):
    """The day on which the first certificate of the manager of that name ends, with which it starts."""
    return max(row["not_after"] for row in pool.authority.contents()["certificates"] if (row["role"], row["host"]) == ("manager", host))[:10]
