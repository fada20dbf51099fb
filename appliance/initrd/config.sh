# shellcheck shell=sh
# The configuration: pool.conf; for a manager manager/, for a machine with an assigned address machine/; in a pool with several managers
# managers.notice, the CA's list of them; keys.notice, the keys that sign the pool's stack. It stands on a disk (FAT) or a CD (ISO 9660) that is labelled WOWCFG, on whatever controller; or in
# a partition beside the system, where `wow image stamp` put it into an image.

config_kb=16384
config_seconds=2
accepted=/run/layers/home/state/pool.conf
# What the initrd can read of that one; wow-config leaves it there whenever it accepts a pool.conf.
accepted_lines=/run/layers/home/state/pool.lines
# Lines `SHA256 POOL`: each pool.conf of a pool that this machine left (the node's setup/former.py, docs/decisions/0118).
left_pools=/run/layers/home/state/pool.left

is_cd() {
    [ "$(field "$1" 32769 5)" = 4344303031 ]
}

# label DEVICE OFFSET: the label that a FAT boot sector or an ISO 9660 volume has at that place.
label() {
    dd if="$1" bs=1 skip="$2" count=11 2>/dev/null | tr -d '\000 '
}

# labelled PLACE...: prints the devices that are labelled WOWCFG: FAT12 and FAT16, FAT32, ISO 9660 (also on what is no CD drive).
labelled() {
    for place in "$@"; do
        place=/dev/${place##*/}
        case $place in /dev/loop* | /dev/dm-*) continue ;; esac
        for offset in 43 71 32808; do
            [ "$(label "$place" "$offset")" != WOWCFG ] || echo "$place"
        done
    done
}

# is_left DISK: whether its pool.conf is of a pool that this machine left. The first one's digest, pool and disk are noted for the node, and for root alone.
is_left() {
    [ -s "$left_pools" ] || return 1
    digest=$(sha256sum < /config/pool.conf | cut -d' ' -f1)
    pool=$(sed -n "/^$digest /{s///p;q}" "$left_pools")
    [ -n "$pool" ] || return 1
    [ -e /run/layers/left ] || (umask 077 && echo "$digest $pool $1" > /run/layers/left)
    say search "what=\"passes over $1, for this machine left pool $pool\""
}

# take DISK: copies what the node needs to /run/wow-config, which only root reads; nothing stays mounted, so the disk may be pulled. Fails
# where there is no pool.conf to take, or that of a pool that was left, or a part of it cannot be read: half of a CA would be taken for ever. A disk is looked at once.
take() {
    case " $looked_at " in *" $1 "*) return 1 ;; esac
    looked_at="$looked_at $1"
    mkdir -p /config
    if is_cd "$1"; then
        load iso
        mount -t iso9660 -o ro "$1" /config
    else
        load fat
        mount -t vfat -o ro,iocharset=ascii "$1" /config
    fi || {
        warn "$1" "what is labelled WOWCFG does not mount" "write it anew with: wow image stamp"
        return 1
    }
    size=$(du -sk /config | cut -f1)
    if [ "$size" -gt "$config_kb" ]; then
        warn "$1" "WOWCFG holds $size KiB, at most $config_kb are read" "leave pool.conf and manager/ or machine/ only"
    elif [ -e /config/pool.conf ] && ! is_left "$1"; then
        unread=
        mkdir -m 700 /run/wow-config.new
        for name in pool.conf pool.lines managers.notice keys.notice manager machine; do
            [ ! -e "/config/$name" ] || cp -r "/config/$name" /run/wow-config.new/ || unread="$unread $name"
        done
        chmod -R go= /run/wow-config.new
        if [ -z "$unread" ]; then
            mv /run/wow-config.new /run/wow-config
        else
            rm -rf /run/wow-config.new
            warn "$1" "what is labelled WOWCFG is left, for this of it cannot be read:$unread" "write it anew with: wow image stamp"
        fi
    fi
    umount /config
    [ -d /run/wow-config ]
}

# look: takes the first disk or CD that holds a pool.conf. findfs finds one of them, also where only a FAT's first folder has the label, as
# Windows writes it. Nearly always that is enough; but the image's own disk may be an empty one.
look() {
    disk=$(findfs LABEL=WOWCFG 2>/dev/null) || return
    # A disk comes before a partition, which cannot be taken out: so a machine gets a newer configuration.
    if is_partition "$disk"; then
        # Of several partitions the one beside the system, for the disk of an earlier machine has one, too.
        # shellcheck disable=SC2046,SC2154 # words are wanted; disk.sh sets system
        for other in $(labelled $(own_disks 1) $(partition WOWCFG "$system")); do
            take "$other" && return
        done
    fi
    take "$disk" && return
    for disk in $(labelled /sys/class/block/*); do
        take "$disk" && return
    done
    return 1
}

# see_media: sets `media`, the disks that are there and the CD drives with a CD in them. A look at all of them takes longer than this.
see_media() {
    media=
    for place in /sys/class/block/*; do
        case $place in
            */loop* | */dm-*) ;;
            */sr*) ! dd if="/dev/${place##*/}" of=/dev/null bs=2048 count=1 2>/dev/null || media="$media $place" ;;
            *) media="$media $place" ;;
        esac
    done
}

# fetch_config: leaves /run/wow-config with a pool.conf in it. Where there is none there is no such folder, and the node says what to do. A
# machine that accepted a pool.conf before does not wait for another one.
fetch_config() {
    looked_at=
    look && return
    # With drivers for whatever else the machine has.
    see_media
    before=$media
    load_fitting
    see_media
    if [ "$media" != "$before" ] && look; then
        return
    fi
    [ ! -s "$accepted" ] || return 0
    say search "what=\"looks for a disk or CD labelled WOWCFG that holds a pool.conf, for $config_seconds s\""
    load_all
    hundredths
    until=$((now + config_seconds * 100))
    while [ "$now" -lt "$until" ]; do
        usleep 100000
        look_at_machine
        load_fitting
        look && return
        hundredths
    done
}

# hundredths: sets `now`, in hundredths of a second since the machine started.
hundredths() {
    read -r now _ < /proc/uptime
    now=$((${now%.*} * 100 + 1${now#*.} - 100))
}

# wanted_modules: the modules that the pool chooses, or nothing when it does not. Only the node's Python reads pool.conf itself, and says which one
# counts. So the choice of the one that it accepted last counts here, whatever disk is there; the disk's, which `stamp` wrote beside pool.conf,
# only where none was accepted before (docs/decisions/0055).
wanted_modules() {
    choice=$accepted_lines
    [ -e "$choice" ] || choice=/run/wow-config/pool.lines
    [ ! -f "$choice" ] || sed -n 's/^modules=\(.*\)$/ \1 /p' "$choice"
}
