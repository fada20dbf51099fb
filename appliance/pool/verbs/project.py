"""Says what the pool's jobs are for: a project has a name, which jobs give (+ProjectName = "storm surge"), a sentence and a link, for those whose machines work
for it. They stand in the pool.conf of every image that is made from now on; machines that run already keep the file that they have. `wow pool show` lists them."""

from pool import conf, opening
from pool.folder import Folder
from pool.node import WowError

SUMMARY = "says what the pool's jobs are for: names a project (add), or names it no more (remove)"
MOST = 50
"""Projects of a pool: each stands in the one small file of every machine."""


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("what", choices=("add", "remove"), help="add: a new project, or another sentence or link of one that is there")
    parser.add_argument("folder", metavar="FOLDER", help="the pool's folder")
    parser.add_argument("name", metavar="NAME", help='what its jobs give as +ProjectName, like "storm surge"')
    parser.add_argument("--says", metavar="SENTENCE", help='what it is about, like "We forecast storm surges on the coast."')
    parser.add_argument("--link", metavar="URL", help="where one reads more, like https://example.org/surge")


def run(given, context):
    """Changes the projects in the pool's settings, then the images."""
    folder = Folder(given.folder)
    folder.read()
    with opening.locked(folder, context) as held:
        pool = opening.pool(folder, context, held)
        after = changed(given, pool)
        pool.find_images()  # before anything is changed: without an image to stamp, nothing is
        pool.change(projects=after)
        opening.renew(pool, context, lambda _: {"projects": [{"name": name, **told} for name, told in after.items()]},
                      f"projects: {', '.join(after) or 'none'}. Send the new images; machines that run already keep the file that they have")


def changed(given, pool):
    """The projects from now on. WowError where what was typed makes no sense."""
    there = pool.settings.projects
    if given.what == "remove":
        if given.says is not None or given.link is not None:
            raise WowError("goes with add", "Leave it out", "--says" if given.says is not None else "--link")
        if given.name not in there:
            raise WowError("is no project of this pool", f"One of: {', '.join(there) or 'none'}{opening.ended_before(pool)}", f'remove "{given.name}"')
        return {name: told for name, told in there.items() if name != given.name}
    says, link = given.says, given.link or ""
    if says is None:
        raise WowError("is missing", 'Say in a sentence what the project is about: --says "We forecast storm surges on the coast."', "--says")
    conf.judge_project(given.name, says, link)
    if given.name not in there and len(there) == MOST:
        raise WowError(f"has {MOST} projects already", "Remove one first", str(given.folder))
    return {**there, given.name: {"says": says, "link": link}}
