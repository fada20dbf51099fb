# shellcheck shell=sh
# What the menu takes back, after it asked twice (appliance/image/boot/grub.cfg): wow.reset=home, or wow.reset=module. Each is one rename a folder, so
# that a power cut leaves the old one whole or gone; what was renamed is removed at the next start at the latest.

# reset_asked: does what the kernel's words ask.
reset_asked() {
    case ${reset:-} in
        '') ;;
        home)
            # The agent refuses it there, too (the node's acts/requests.py).
            # shellcheck disable=SC2154 # modes.sh sets it
            [ ! -e /run/layers/home/state/ca ] || stop state/ca "this machine has the pool's certificate authority, which would be lost with the home. Nothing was changed" \
                "$again. If that is meant, remove the machine and its disks in the hypervisor"
            say home "reset=home what=\"files of /home, membership and queued jobs are taken back\""
            # A pool's stack before its layers: a list without them would be told as an error.
            for part in home state stacks layers; do
                [ ! -e "/run/layers/home/$part" ] || mv "/run/layers/home/$part" "/run/layers/home/gone-$part"
            done
            sync
            ;;
        module)
            last_work
            say home "reset=module what=\"the module in work $developed is taken back\""
            # shellcheck disable=SC2154 # modes.sh sets it
            mv "$works/$developed" /run/layers/home/gone-module
            sync
            developed=
            ;;
        *) stop grub.cfg "the kernel command line says wow.reset=$reset" "use wow.reset=home or wow.reset=module" ;;
    esac
    is_reset_cut || return 0
    # What is in them goes first, for a home that is full has no room for new folders; they themselves last, for without them a start takes a missing home
    # for one that the disk lost (home.sh).
    for left in /run/layers/home/gone-*/*; do
        rm -rf "$left"
    done
    make_folders
    sync
    rm -rf /run/layers/home/gone-*
}
