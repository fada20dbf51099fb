# shellcheck shell=sh
# Finding disks. Drivers come in sets. What the machine has is loaded, in the order of modules.list; the rest only where that does not help.

sets="virtio hyperv xen virtio-scsi vmware ahci piix nvme lsi lsi-sas 53c8xx megaraid buslogic usb"

# load SET: inserts the modules of one set, dependencies first, as `build` ordered them. A module that refuses (no such hardware)
# ends the set: what follows depends on it.
load() {
    while read -r module; do
        case " $loaded " in *" $module "*) continue ;; esac
        unpack "$module"
        mark "$file"
        insmod "$file" 2>/dev/null || return
        loaded="$loaded $module"
    done < "/modules/$1.list"
}

# unpack MODULE: sets `file`, which insmod can read; it takes no packed one without a line of the kernel's on the console.
unpack() {
    file=/modules/$1
    case $1 in
        *.gz)
            file=/modules/${1%.gz}
            [ -e "$file" ] || zcat "/modules/$1" > "$file"
            ;;
    esac
}

# look_at_machine: sets `machine`, the kernel's names (modalias) of the controllers, and of the machine itself.
look_at_machine() {
    machine=$(cat /sys/bus/pci/devices/*/modalias /sys/bus/virtio/devices/*/modalias /sys/bus/xen/devices/*/modalias \
        /sys/class/dmi/id/modalias 2>/dev/null)
}

# fits SET: whether the machine has a device for it. Of Hyper-V's bus the kernel knows nothing before a driver of this set is there.
fits() {
    case $1:$machine in
        virtio:*virtio:d00000002v*) ;;
        hyperv:*:svnMicrosoftCorporation:pnVirtualMachine:*) ;;
        xen:*xen:vbd*) ;;
        virtio-scsi:*virtio:d00000008v*) ;;
        vmware:*pci:v000015ADd000007C0*) ;;
        # SATA, also in the mode that firmware calls RAID; IDE.
        ahci:*pci:*bc01sc0[46]*) ;;
        piix:*pci:*bc01sc01*) ;;
        nvme:*pci:*bc01sc08*) ;;
        # By numbers of the makers (pci.ids): 1000 is LSI Logic, 104B BusLogic.
        lsi:*pci:v00001000d00000030*) ;;
        lsi-sas:*pci:v00001000d0000005[48]*) ;;
        53c8xx:*pci:v00001000d000000[01]?sv*) ;;
        megaraid:*pci:v00001000d000000[67]?sv* | megaraid:*pci:v00001000d0000005[BDF]sv*) ;;
        buslogic:*pci:v0000104Bd00001040*) ;;
        usb:*pci:*bc0Csc03*) ;;
        *) return 1 ;;
    esac
}

# load_fitting: inserts what the machine has controllers for, and the driver of a CD drive on one of them.
load_fitting() {
    for set in $sets; do
        ! fits "$set" || load "$set"
    done
    for device in /sys/bus/scsi/devices/*/type; do
        kind=
        [ ! -e "$device" ] || read -r kind < "$device"
        [ "$kind" != 5 ] || load cd
    done
}

# load_all: inserts every set, for controllers that do not tell the kernel what they are.
load_all() {
    for set in $sets; do
        load "$set"
    done
}

# partition NAME [BESIDE]: prints the device of the GPT partition of that name; BESIDE, if it is not empty: of the one on the disk of that partition. The
# kernel read the names already; no device is opened.
partition() {
    event=$(grep -lx "PARTNAME=$1" "/sys/class/block${2:+/${2##*/}/..}"/*/uevent 2>/dev/null) || return 1
    event=${event%%/uevent*}
    echo "/dev/${event##*/}"
}

# partitions NAME: prints the devices of all of that name.
partitions() {
    # shellcheck disable=SC2013 # words are wanted: names of /sys have no blanks
    for event in $(grep -lx "PARTNAME=$1" /sys/class/block/*/uevent 2>/dev/null); do
        event=${event%/uevent}
        echo "/dev/${event##*/}"
    done
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

# find_system: sets `system`, the partition WOWSYS.
find_system() {
    look_at_machine
    for set in $sets; do
        fits "$set" || continue
        load "$set"
        system=$(partition WOWSYS) && return
    done
    # NVMe, USB and some of LSI's tell of their disks a moment after their drivers came.
    system=$(await WOWSYS 30) && return
    load_all
    # shellcheck disable=SC2034 # init mounts it
    system=$(await WOWSYS 300) ||
        missing WOWSYS "choose virtio, SATA, IDE, NVMe or SCSI as its controller in the hypervisor's settings"
}

# tell_of_other_systems: says which one was taken where other disks have a system, too. Disks of one image are alike to the last id of theirs, and the firmware
# does not tell which one it started from: the first one to come is taken, and where several came together, the first by name.
tell_of_other_systems() {
    others=
    for place in $(partitions WOWSYS); do
        [ "$place" = "$system" ] || others="$others $place"
    done
    [ -n "$others" ] || return 0
    say system "take=$system what=\"several disks have a system;$others left as it is. If this start is of another one, take off the disk that does not belong here\""
}

# await_disks: SCSI and NVMe report disks a moment after their driver came; waits until three tenths of a second brought no other one.
await_disks() {
    set -- /sys/class/scsi_host/* /sys/class/nvme/*
    [ -e "$1" ] || [ -e "$2" ] || return 0
    known=
    calm=0
    left=30
    while [ "$calm" -lt 3 ] && [ "$left" -gt 0 ]; do
        left=$((left - 1))
        usleep 100000
        now=$(echo /sys/block/*)
        if [ "$now" = "$known" ]; then calm=$((calm + 1)); else calm=0; fi
        known=$now
    done
}

# stop_if_shrunk: the kernel takes no partition of a disk that ends before it does.
stop_if_shrunk() {
    for entry in /sys/class/block/*; do
        read -r sectors < "$entry/size"
        disk=/dev/${entry##*/}
        if [ "$(field "$disk" 512 8)" = 4546492050415254 ] && [ "$(le64 "$disk" 560)" -ge "$sectors" ]; then
            stop "$disk" "the disk was made smaller, to $((sectors / 2048)) MiB, and ends before its partitions do. Nothing was changed" \
                "make it $(($(le64 "$disk" 544) / 2048 + 1)) MiB again"
        fi
    done
}

# missing NAME REMEDY: stops where a partition is not there.
missing() {
    stop_if_shrunk
    stop "$1" "no disk has a partition named $1" "$2"
}

# field DEVICE OFFSET LENGTH: bytes of a device in hexadecimal, two digits each.
field() {
    dd if="$1" bs=1 skip="$2" count="$3" 2>/dev/null | hexdump -v -e '1/1 "%02x"'
}

# le64 FILE OFFSET: a number of eight bytes, lowest first, as a GPT has them (UEFI 2.10, 5.3.2).
le64() {
    dd if="$1" bs=1 skip="$2" count=8 2>/dev/null | hexdump -v -e '2/4 "%u "' | {
        read -r low high
        echo $((${low:-0} + (${high:-0} << 32)))
    }
}
