# shellcheck shell=sh
# Finding disks. Drivers come in sets, loaded in turn until the system disk is there, so that only what the machine has is loaded.

# load SET: inserts the modules of one set, dependencies first, as `build` ordered them. A module that refuses (no such hardware)
# ends the set: what follows depends on it.
load() {
    while read -r module; do
        case " $loaded " in *" $module "*) continue ;; esac
        insmod "/modules/$module" 2>/dev/null || return
        loaded="$loaded $module"
    done < "/modules/$1.list"
}

# partition NAME: prints the device of the GPT partition of that name. The kernel read the names already; no device is opened.
partition() {
    for event in /sys/class/block/*/uevent; do
        case $(cat "$event") in
            *"PARTNAME=$1") event=${event%/uevent}; echo "/dev/${event##*/}"; return 0 ;;
        esac
    done
    return 1
}

# await PARTITION TENTHS: some controllers report their disks a moment after their driver came.
await() {
    left=$2
    while ! partition "$1"; do
        [ "$left" -gt 0 ] || return 1
        left=$((left - 1))
        usleep 100000
    done
}

find_system() {
    for set in virtio ata virtio-scsi vmware hyperv; do
        load "$set"
        case $set in virtio) wait=0 ;; hyperv) wait=300 ;; *) wait=30 ;; esac
        # shellcheck disable=SC2034 # init mounts it
        if system=$(await WOWSYS "$wait"); then
            return
        fi
    done
    stop "no disk has a partition named WOWSYS; the disk's controller is none of virtio, AHCI, IDE, NVMe, PVSCSI, Hyper-V"
}

# field DEVICE OFFSET LENGTH: bytes of a device in hexadecimal, two digits each.
field() {
    dd if="$1" bs=1 skip="$2" count="$3" 2>/dev/null | hexdump -v -e '1/1 "%02x"'
}
