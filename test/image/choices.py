"""Which modules the initrd stacks: those of the pool.conf that was accepted last, whatever the disk says; and how many it can."""

import configs
from checks import expect, machine_check
from configs import POOL_CONF
from initrds import Kernel
from machine import UNTIL_HOME
from places import ROOT

MODULES = "stack node\nstack_modules\n"
"""The line of init before which base, home and configuration are there."""
OVERLAY = (ROOT / "appliance/initrd/init").read_text().partition(MODULES)[2].partition("cd /\n")[0]
"""Its lines that put one over the other."""
MOST = 12
SCRIPT = f"""\
count() {{ grep -c " squashfs " /proc/mounts; }}
again() {{
    tell "verdict $1 $(count) $(tr '\\n' ' ' < /run/layers/modules)"
    for place in /run/layers/[1-9]*; do umount "$place"; busybox rmdir "$place"; done
    number=1
    lower=0
}}
{MODULES}
again disk
mkdir -p "${{accepted_lines%/*}}"
echo modules=tutorial > "$accepted_lines"
{MODULES}
again accepted
rm -r /run/wow-config
{MODULES}
again pulled
: > "$accepted_lines"
while read -r kind name rest; do
    case $kind in
        module) for each in $(busybox seq {MOST}); do echo "module $name-$each $rest"; done; echo "glue glue $rest" ;;
        *) echo "$kind $name $rest" ;;
    esac
done < /run/layers/sys/stacks/A.conf > /run/many
mount --bind /run/many /run/layers/sys/stacks/A.conf
{MODULES}
{OVERLAY}
tell "verdict many $(count) $(grep -c "^wow /root overlay .*lowerdir=$lower," /proc/mounts) $(ls /root/usr/share/wow/tutorial/tutorial.sub)"
"""


@machine_check
def modules_are_those_of_the_accepted_file_a_name_without_a_layer_is_told_and_twelve_are_stacked_and_a_glue():
    place = configs.folder("choice", POOL_CONF.replace("name = demo", "name = choice") + "[modules]\nnames = absent\n")
    image = configs.WORK / "config-choice.img"
    configs.configdisk.make(image, configs.configdisk.entries_of(place))
    kernel = Kernel("choice").start(MODULES, SCRIPT, *configs.ON_VIRTIO, *configs.drive("config", image), "-device", "virtio-blk-pci,drive=config",
                                    words="wow.mode=ephemeral")
    said = kernel.verdicts(UNTIL_HOME)
    expect(said == ["disk 2 modules=absent absent=absent stacked=", *(f"{name} 3 modules=tutorial absent= stacked=tutorial" for name in ("accepted", "pulled")),
                    f"many {MOST + 3} 1 /root/usr/share/wow/tutorial/tutorial.sub"], f"it said {said}")
    screen = kernel.said().partition("Something is wrong; this machine starts all the same.")[2].splitlines()[1:4]
    for line, words in zip(screen, ("What:  [modules] names: this image has no layer named absent;", "       ", "File:  pool.conf")):
        expect(line.startswith(words) and len(line) <= 80, f"the console shows {screen}")
