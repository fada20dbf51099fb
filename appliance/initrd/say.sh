# shellcheck shell=sh
# Words for whoever looks at the console. Through the kernel's log, so that every console gets them.

say() {
    echo "<4>WOW: $*" > /dev/kmsg
}

# The boot cannot go on: say why, and stay, so that the message can be read. A volunteer switches the machine off.
stop() {
    echo "<2>WOW: error step=boot t=$(cut -d' ' -f1 /proc/uptime) $*" > /dev/kmsg
    sync
    while :; do sleep 3600; done
}
