# shellcheck shell=sh
# Home follows its disk: where the disk was made larger, the partition WOWHOME grows to the new end before it is opened, and its file
# system in the running system, by wow-grow.service. Power may fail at any write; docs/decisions/0042 has the order of them.
worth=32768 # sectors, 16 MiB; below that neither is touched, for a hypervisor may round a disk up, and mke2fs a file system down

# grow_partition DEVICE: gives it what its disk has behind it. Nothing of that may stop a boot: what speaks against it is said, and home stays
# as it is. /sys alone tells nearly every boot that there is nothing to do.
grow_partition() {
    entry=/sys/class/block/${1##*/}
    [ -e "$entry/partition" ] || return 0
    read -r index < "$entry/partition"
    read -r first < "$entry/start"
    read -r length < "$entry/size"
    read -r sectors < "$entry/../size"
    # The second table takes 33 sectors; partitions begin and end at MiBs.
    wanted=$(((sectors - 34 - first) / 2048 * 2048))
    [ $((wanted - length)) -ge "$worth" ] || return 0
    disk=/dev/$(sed -n 's/^DEVNAME=//p' "$entry/../uevent")
    # Where the table ends with the disk, its partitions are as somebody wants them.
    [ "$(le64 "$disk" 544)" != $((sectors - 1)) ] || return 0
    for other in "$entry"/../*/start; do
        read -r start < "$other"
        [ "$start" -le "$first" ] || { stays "$1" "another partition stands behind it"; return 0; }
    done
    read -r is_read_only < "$entry/../ro"
    [ "$is_read_only" = 0 ] || { stays "$1" "the disk is read-only"; return 0; }
    if new_table "$disk" /run/table && write_table "$disk" /run/table && tell_kernel "$disk"; then
        say home "grow=$1 what=\"its disk was made larger: $((length / 2048)) MiB become $((wanted / 2048)) MiB\""
    else
        stays "$1" "its table of partitions has another form than the image's, or cannot be written"
    fi
    rm -f /run/table
}

stays() { # stays DEVICE WORDS
    say home "grow=$1 what=\"the disk was made larger, home was not: $2\""
}

# new_table DISK FILE: makes FILE the disk with the longer partition, in which nothing but its tables stands. sfdisk, from the base, works on
# that, and so writes nothing to the disk. FILE is sparse: it takes as much memory as is read and written.
new_table() {
    dd if="$1" of="$2" bs=1048576 count=1 2>/dev/null && truncate -s $((sectors * 512)) "$2" || return
    mount --bind /run /run/layers/0/run
    echo ",$wanted" | base_tool /usr/sbin/sfdisk --quiet --wipe never --wipe-partitions never -N "$index" "$2" > /dev/null 2>&1
    result=$?
    umount /run/layers/0/run
    # One write can change the first table only where it is within 4 KiB, the usual form: 128 entries of 128 bytes from the third sector on,
    # home one of the first four. And sfdisk must have changed nothing else.
    [ "$result" = 0 ] && [ "$index" -le 4 ] && [ "$(le64 "$2" 584)" = 2 ] && [ "$(field "$2" 592 8)" = 8000000080000000 ] &&
        [ "$(le64 "$2" 544)" = $((sectors - 1)) ] && cmp -s -n $((1048576 - 4096)) "$1" "$2" 4096 4096
}

# write_table DISK FILE: first what home's mark would be (home.sh), for a disk that was used before may hold one there; then the second table,
# which nothing points to yet; then, in one write, the first one. Each is on the disk before the next begins.
write_table() {
    dd if=/dev/zero of="$1" bs=4096 seek=$(((first + wanted) / 8 - 1)) count=1 conv=notrunc,fsync 2>/dev/null &&
        dd if="$2" of="$1" bs=512 skip=$((sectors - 33)) seek=$((sectors - 33)) count=33 conv=notrunc,fsync 2>/dev/null &&
        dd if="$2" of="$1" bs=4096 count=1 conv=notrunc,fsync 2>/dev/null
}

# tell_kernel DISK: of this partition alone, since others of the disk are in use.
tell_kernel() {
    mount --bind /sys /run/layers/0/sys
    base_tool /usr/bin/partx --update --nr "$index" "$1" > /dev/null 2>&1
    result=$?
    umount /run/layers/0/sys
    return "$result"
}

# grow_file_system DEVICE: has the running system do it when the partition has room. Only the link starts the service, so that other boots
# have none.
grow_file_system() {
    # shellcheck disable=SC2154 # home.sh says how much
    wanted=$(($(blocks "$1") - reserved))
    [ $((wanted - $(reaches "$1" 1024))) -ge $((worth / 8)) ] || return 0
    read -r is_read_only < "/sys/class/block/${1##*/}/ro"
    [ "$is_read_only" = 0 ] || return 0
    units=/run/systemd/system
    mkdir -p $units/multi-user.target.wants $units/wow-grow.service.d
    printf '[Service]\nEnvironment=DEVICE=%s BLOCKS=%s\n' "$1" "$wanted" > $units/wow-grow.service.d/home.conf
    ln -s /usr/lib/systemd/system/wow-grow.service $units/multi-user.target.wants/wow-grow.service
}
