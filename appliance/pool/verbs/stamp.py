"""Makes the images anew after `make image`, renews the manager's first certificate if it is time, or moves the manager to another address. What has not
changed stays. A manager that has run is not replaced by the new file: it has the CA's records. Give its disk the new system: wow pool upgrade."""

from pool import conf, here, image, opening, place
from pool.folder import Folder
from pool.pool import LEAVE, REPLACE

SUMMARY = "makes the images anew, after `make image` or for another address of the manager"


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("folder", metavar="FOLDER", help="the pool's folder")
    parser.add_argument("--at", metavar="HOST[:PORT]", help="where the manager will be from now on")
    parser.add_argument("--private", action="store_true", help="that address is private: all machines of the pool stand in its network")
    parser.add_argument("--login", action="store_true", help="from now on also make a machine with a queue and no jobs, for people with a laptop")
    parser.add_argument("--arm64", action="store_true", help="from now on also make files for computers with ARM processors, Apple's among them")
    parser.add_argument("--keyboard", metavar="LAYOUT", help="which keyboards stand at the machines' screens from now on, like de or fr; us for American ones")
    parser.add_argument("--origins", metavar="URLS", help="web servers from which machines fetch modules from now on, https://, blanks between; '' for none")
    parser.add_argument("--replace-manager", action="store_true", help="make the manager's files although its CA has admitted machines: that manager is gone")


def run(given, context):
    """Stamps what has changed."""
    folder = Folder(given.folder)
    folder.read()
    with opening.locked(folder, context) as held:
        pool = opening.pool(folder, context, held)
        pool.image  # first: without an image nothing is changed
        if given.arm64 or pool.settings.arm64:
            image.find_arm(context.clone)
        pool.change(**changed(given, pool.settings, context))
        for keys in (folder.manager, *(folder.other(one["host"]) for one in pool.settings.managers)):
            pool.authority.renew_manager(keys)
        why = None if given.replace_manager else pool.served()
        if why:
            context.warn([f"the manager's files stay as they are. {folder.ca} {why}. If that manager is gone for good, say --replace-manager"])
        context.run([*pool.images(REPLACE if given.replace_manager else LEAVE), pool.papers(),
                     opening.sealing(pool, context, lambda note: opening.facts(pool, note))])
        context.warn(pool.doubts())
        context.say(f"the images are up to date. A manager that has run stays as it is: {here.typed()} upgrade MACHINE.qcow2 gives its disk the new system")
        context.tell(opening.facts(pool))


def changed(given, told, context):
    """The settings that are others from now on. WowError where one of the options is wrong: then none of them counts."""
    found = {}
    if given.at:
        host, port = place.read(given.at)
        conf.judge(told.name, told.subnet, f"{host}:{port}", {})
        place.must_be_free(f"{host}:{port}", [one["at"] for one in told.managers])
        context.warn(place.doubts(host, told.subnet, given.private))
        found = {"host": host, "port": port}
    if given.keyboard:
        conf.judge_keyboard(given.keyboard)
        found["keyboard"] = given.keyboard
    if given.origins is not None:
        found["origins"] = conf.judge_origins(given.origins)
    return {**found, **{name: True for name in ("login", "arm64") if getattr(given, name)}}
