# shellcheck shell=sh
# Which home. It stands on a disk of its own, without partitions, or in the partition WOWHOME beside the system. The one that was used last comes
# first; a new one is made in a blank partition WOWHOME, or where no disk has that partition, on the one disk that is blank.
devices=/sys/block
smallest=2097152 # sectors, 1 GiB, that a disk must have for a home of its own; smaller ones are not looked at

# places: prints where a home may stand: partitions WOWHOME, and disks with no partition.
places() {
    partitions WOWHOME
    own_disks "$smallest"
}

# own_disks SECTORS: prints the disks of so many sectors and more that have no partition.
own_disks() {
    for entry in "$devices"/*; do
        case ${entry##*/} in loop* | dm-* | ram* | zram* | fd* | sr*) continue ;; esac
        read -r sectors < "$entry/size"
        [ "$sectors" -ge "$1" ] && ! has_partitions "$entry" && echo "/dev/${entry##*/}"
    done
}

has_partitions() { # has_partitions ENTRY
    for part in "$1"/*/partition; do
        [ ! -e "$part" ] || return 0
    done
    return 1
}

is_partition() {
    [ -e "/sys/class/block/${1##*/}/partition" ]
}

# last_used DEVICE: when its home was mounted last, in seconds since 1970 (s_mtime of the superblock); 0 where the superblock is lost.
last_used() {
    [ "$(superblock "$1" 1024)" = WOWHOME ] || { echo 0; return; }
    dd if="$1" bs=4 skip=267 count=1 2>/dev/null | hexdump -v -e '1/4 "%u"'
}

# look_for_homes: sets `used`, `begun`, `blank` and `strange`, lists of places by what stands there, and `states`, all of them.
look_for_homes() {
    states=
    used=
    begun=
    blank=
    strange=
    for place in $(places); do
        state=$(home_state "$place")
        states="$states $place:$state"
        case $state in
            whole | beheaded) used="$used $place" ;;
            unfinished) begun="$begun $place" ;;
            blank) blank="$blank $place" ;;
            *) strange="$strange $place" ;;
        esac
    done
}

# find_home: sets `home`, and `state`, what stands there. Stops where none of the disks can have one.
find_home() {
    choose_home
    state=${states##* "$home":}
    state=${state%% *}
}

choose_home() {
    look_for_homes
    # Before a home is made, every disk must have had the time to come.
    if [ -z "$used" ]; then
        load_fitting
        await_disks
        look_for_homes
        left=25
        while [ -z "$used$begun$blank$strange" ] && [ "$left" -gt 0 ]; do
            left=$((left - 1))
            usleep 100000
            look_for_homes
        done
    fi
    if [ -n "$used" ]; then
        take_used
        return
    fi
    for home in $begun; do
        return
    done
    partitions=
    disks=
    for place in $blank; do
        if is_partition "$place"; then partitions="$partitions $place"; else disks="$disks $place"; fi
    done
    # shellcheck disable=SC2086 # words are wanted
    set -- $partitions
    if [ $# -gt 0 ]; then
        home=$1
        # shellcheck disable=SC2086
        set -- $disks
        [ $# = 0 ] || say home "take=$home what=\"the partition beside the system; $* could have had a home, too, and stays as it is\""
        return
    fi
    # What somebody made of the partition stops the boot, unless there is a blank disk for the home.
    [ -n "$disks" ] || refuse_partition
    take_blank_disk
}

# take_used: of several homes the one that was used last. What is taken is so from then on.
take_used() {
    home=
    others=
    for place in $used; do
        seconds=$(last_used "$place")
        if [ -z "$home" ] || [ "$seconds" -ge "$latest" ]; then
            others="$others${home:+ $home}"
            home=$place
            latest=$seconds
        else
            others="$others $place"
        fi
    done
    [ -n "$others" ] || return 0
    # shellcheck disable=SC2154 # disk.sh sets it
    say home "take=$home what=\"of several homes the one that was used last;$others left as it is; the system is $system\""
    # wow doctor tells it as long as the machine runs.
    echo "$home$others" > /run/layers/homes
}

# take_blank_disk: the system has no blank partition for a home. A disk is taken only if it is the only one that is blank, and is so throughout.
take_blank_disk() {
    found=
    told=
    for entry in "$devices"/*; do
        disk=/dev/${entry##*/}
        # The system's own, and what is no disk.
        case $disk in /dev/loop* | /dev/dm-* | /dev/ram* | /dev/zram* | /dev/fd* | /dev/sr*) continue ;; esac
        [ ! -e "$entry/${system##*/}" ] || continue
        read -r sectors < "$entry/size"
        why=$(unfit "$disk")
        if [ -z "$why" ]; then found="$found $disk"; else told="$told; $disk ($((sectors / 2048)) MiB) $why"; fi
    done
    # shellcheck disable=SC2086 # words are wanted
    set -- $found
    case $# in
        0) ;;
        1) home=$1; return ;;
        *) stop WOWHOME "several disks are blank:$found. Nothing was changed" "leave one of them on the machine, for its home" ;;
    esac
    refuse_partition
    stop_if_shrunk
    # shellcheck disable=SC2154 # home.sh sets it
    stop WOWHOME "there is no disk for the home: no partition WOWHOME, and no blank disk of $((smallest / 2048)) MiB or more$told. Nothing was changed" \
        "give the machine its home's disk, or a new blank one; or $ephemeral"
}

refuse_partition() {
    for place in $strange; do
        ! is_partition "$place" || refuse "$place"
    done
}

# unfit DISK: says why a disk is not taken for a new home, or nothing.
unfit() {
    if has_partitions "$devices/${1##*/}"; then
        echo "has partitions"
        return
    fi
    case " $blank " in
        *" $1 "*)
            if ! is_blank_throughout "$1"; then echo "has a blank start and data behind it"
            elif ! is_writable "$1"; then echo "is read-only"
            fi
            ;;
        *)
            what=$(kind "$1")
            if [ -n "$what" ]; then echo "holds $what"
            elif [ "$sectors" -lt "$smallest" ]; then echo "is too small"
            else echo "holds data of an unknown kind"
            fi
            ;;
    esac
}

is_writable() {
    read -r is_read_only < "/sys/class/block/${1##*/}/ro"
    [ "$is_read_only" = 0 ]
}

# is_blank_throughout DISK: whether all of its first and last MiB, and 4 KiB at each of 32 places between and at the copies of ext4's superblock are
# zero. Nobody named the disk, so its start alone does not say that it is nobody's.
is_blank_throughout() {
    size=$(blocks "$1")
    is_zero "$1" 0 1024 && is_zero "$1" $(((size - 256) * 4096)) 1024 || return
    for block in 32768 98304 163840 229376 294912; do
        [ "$block" -ge "$size" ] || is_zero "$1" $((block * 4096)) 4 || return
    done
    block=$((size / 32))
    while [ "$block" -lt "$size" ]; do
        is_zero "$1" $((block * 4096)) 4 || return
        block=$((block + size / 32))
    done
}
