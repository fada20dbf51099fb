# shellcheck shell=sh
# The home layer, with home/ and state/, in a partition WOWHOME or on a disk of its own (homes.sh says which): made at the first boot where
# nothing is, and nowhere else. Power may fail at any write of that. So a mark is written first and wiped last: where it stands, home was
# never used, and is made anew. It stands in the last block, behind the file system, because mke2fs clears the first ones before it writes
# anything.
mark=WOWHOME.new
reserved=16 # blocks of 4 KiB behind the file system
backup=134217728 # where the first copy of the superblock stands
# Without noinit_itable the kernel would write all inodes of a new home, 1 GiB for 64 GiB, on a disk that holds only what was written.
# usrquota lets the running system count what jobs write (the node's slots/quota.py); it writes nothing. nosuid: whoever runs a person's job sends files home with
# whatever mode, and one with set-uid would be that person for everybody who starts it. A module in work has its own programs by the overlay, which it does not bind.
options=noatime,noinit_itable,usrquota,nosuid
ephemeral="boot with wow.mode=ephemeral, which keeps nothing"
stay_on="which takes minutes: leave this machine on"
other_home="give the machine another disk for its home, for this one stays as it is; or $ephemeral"

# base_tool COMMAND...: runs a program of the base layer, so that the initrd need not carry it.
base_tool() {
    mount --bind /dev /run/layers/0/dev
    mount --bind /proc /run/layers/0/proc
    chroot /run/layers/0 "$@"
    result=$?
    umount /run/layers/0/proc
    umount /run/layers/0/dev
    return "$result"
}

# Fields of the ext4 superblock, which begins at byte 1024 (kernel, Documentation/filesystems/ext4/super.rst).
superblock() { # superblock DEVICE START: prints magic and label
    [ "$(field "$1" $(($2 + 56)) 2)" = 53ef ] || return 1
    dd if="$1" bs=1 skip=$(($2 + 120)) count=16 2>/dev/null | tr -d '\000'
}

blocks() { # blocks DEVICE: its size in blocks of 4 KiB
    echo $(($(cat "/sys/class/block/${1##*/}/size") / 8))
}

is_zero() { # is_zero DEVICE OFFSET KIB
    dd if="$1" bs=1024 skip=$(($2 / 1024)) count="$3" 2>/dev/null | cmp -s -n $(($3 * 1024)) - /dev/zero
}

# write_mark DEVICE: reads the mark's block from standard input; returns when it is on the disk.
write_mark() {
    dd of="$1" bs=4096 seek=$(($(blocks "$1") - 1)) count=1 conv=sync,notrunc,fsync 2>/dev/null
}

# has_mark DEVICE: whether the mark counts. Not where a file system of ours reaches over the last block, as it did until 2026: there it is what
# somebody wrote into a file.
has_mark() {
    [ "$(dd if="$1" bs=4096 skip=$(($(blocks "$1") - 1)) count=1 2>/dev/null | tr -d '\000')" = "$mark" ] &&
        ! reaches_end "$1" 1024 && ! reaches_end "$1" "$backup"
}

reaches_end() { # reaches_end DEVICE SUPERBLOCK
    [ "$(superblock "$1" "$2")" = WOWHOME ] && [ "$(reaches "$1" "$2")" -ge "$(blocks "$1")" ]
}

reaches() { # reaches DEVICE SUPERBLOCK: the file system's size in blocks, whose upper half stands apart
    # shellcheck disable=SC2046 # words are wanted
    set -- $(dd if="$1" bs=1024 skip=$(($2 / 1024)) count=1 2>/dev/null | hexdump -v -e '256/4 "%u "')
    echo $((${2:-0} + (${85:-0} << 32)))
}

# is_cut_short DEVICE: whether its start may be what our own making left when it was cut: nothing, or our superblock and no more. The mark
# alone does not say so: it is still there when somebody makes another volume of the partition.
is_cut_short() {
    is_zero "$1" 0 1 && is_zero "$1" 2048 2 || return 1
    case $(kind "$1") in
        '') ;;
        *ext4*) [ "$(superblock "$1" 1024)" = WOWHOME ] ;;
        *) return 1 ;;
    esac
}

# is_beheaded DEVICE: whether it is a home of which only the first block was lost. The block behind it tells: its first group descriptor is
# the same as in the backup. A backup superblock alone proves nothing, it stays behind under what somebody else made of the partition.
is_beheaded() {
    [ "$(superblock "$1" "$backup")" = WOWHOME ] && [ -z "$(kind "$1")" ] || return 1
    has_descriptors "$1" && [ -n "${descriptor#000000000000000000000000}" ]
}

has_descriptors() { # has_descriptors DEVICE: whether the first group descriptor is the same as in the backup
    descriptor=$(field "$1" 4096 12)
    [ "$descriptor" = "$(field "$1" $((backup + 4096)) 12)" ]
}

# home_state DEVICE: blank, unfinished, whole, beheaded or strange.
home_state() {
    if has_mark "$1"; then
        if is_cut_short "$1"; then echo unfinished; else echo strange; fi
    elif label=$(superblock "$1" 1024); then
        # Until 2026 the label was the mark.
        case $label in WOWHOME) echo whole ;; "$mark") echo unfinished ;; *) echo strange ;; esac
    elif is_beheaded "$1"; then
        echo beheaded
    elif is_zero "$1" 0 1024; then
        echo blank
    else
        echo strange
    fi
}

make_home() {
    say home "make=$1"
    # What an older home left there would speak for one that is being made.
    dd if=/dev/zero of="$1" bs=4096 seek=$((backup / 4096)) count=1 conv=notrunc,fsync 2>/dev/null
    echo "$mark" | write_mark "$1" || stop "$1" "the disk cannot be written" "$other_home"
    # A small journal, and inodes that are not written before they are used: so making a home costs the same on a disk of any size.
    base_tool /usr/sbin/mke2fs -q -F -t ext4 -b 4096 -J size=16 -i 16384 -E lazy_itable_init=1 -m 1 -L WOWHOME "$1" \
        $(($(blocks "$1") - reserved)) || stop "$1" "the home layer cannot be made" "$other_home"
    mount -t ext4 -o "$options" "$1" /run/layers/home || stop "$1" "the new home layer does not mount" "$other_home"
    make_folders
    sync
    umount /run/layers/home
    sync
    write_mark "$1" < /dev/zero || stop "$1" "the disk cannot be written" "$other_home"
}

# refuse DEVICE: stops before what is not ours, and leaves it as it is.
refuse() {
    what=$(kind "$1")
    case $what in
        *ext4*) label=$(superblock "$1" 1024); what="$what of somebody else, ${label:+labelled }${label:-without a label}" ;;
    esac
    stop "$1" "the partition WOWHOME ($(($(blocks "$1") / 256)) MiB) is no home of WOW: it holds ${what:-data of an unknown kind}. Nothing was changed" \
        "give the machine a blank disk for its home; or, if nobody needs what is there, zero the first MiB of $1 from another system; or $ephemeral"
}

# repair_home DEVICE [WHY]: replays the journal and repairs what a power cut left behind, when the superblock says that it may be needed. WHY, if it is given:
# what is wrong though the superblock says nothing; all is looked at then.
repair_home() {
    state=$(field "$1" 1082 2)
    incompatible=$(field "$1" 1120 1)
    case $state:$((0x$incompatible & 4)):${2:-} in 0100:0:) return ;; esac
    # Minutes on a large home, in which people cut the power. After the second time GRUB would hold this system to be damaged.
    start_stopped
    # Where the group descriptors are lost, -p writes wrong ones, with which -y finds no file. Without it -y takes their backup.
    if [ -z "${2:-}" ] && has_descriptors "$1"; then
        check_home "$1" -p && return
        # -y writes over what cannot be read. A disk of the host's that was away for a moment, or a weak sector, gives it at the second try.
        if [ "$unread" -gt 0 ]; then
            say home "repair=$1 what=\"the disk cannot read a part of the home; it is tried once more\""
            sleep 30
            check_home "$1" -p && return
        fi
    fi
    say home "repair=$1 what=\"damaged beyond the journal${2:+, it $2}; repairing all that can be repaired, $stay_on\""
    # Where it cannot even read the group descriptors it takes their backup only when it is told to.
    check_home "$1" -y -f || { [ "$result" = 8 ] && check_home "$1" -y -f -b 32768 -B 4096; } ||
        stop "$1" "the home layer is damaged and e2fsck cannot repair it" "$other_home"
    [ "$unread" = 0 ] || warn "$1" "the disk could not read $unread blocks of the home: files that stood there are lost" \
        "save what is in /home, and give the machine another disk: this one is failing"
}

# check_home DEVICE OPTION...: has e2fsck look at it; fails where errors are left. Sets `result`, its exit code, and `unread`: how many blocks the disk
# could not read. Where it looked at all of the home, what came of that is said.
check_home() {
    place=$1
    shift
    heard=$({ base_tool /usr/sbin/e2fsck "$@" "$place"; echo $? > /run/e2fsck; } | hear "$place")
    unread=${heard% *}
    read -r result < /run/e2fsck
    rm /run/e2fsck
    [ "$result" -lt 4 ] || return
    case $heard:$result in
        *all:0) say home "repair=$place what=\"all of the home was looked at: nothing is wrong\"" ;;
        *all:*) say home "repair=$place what=\"all of the home was looked at, and it is repaired\"" ;;
    esac
}

# hear DEVICE: reads what e2fsck says, and says itself when that begins to look at all of the home though nobody asked it to: the superblock has an error, or
# was left unclean. Prints how many blocks the disk could not read, a blank, and "all" where all was looked at.
hear() {
    count=0
    extent=
    while read -r row; do
        case $row in
            *"Error reading block"*) count=$((count + 1)) ;;
            *"check forced"*)
                say home "repair=$1 what=\"all of the home is looked at, $stay_on\"" > /dev/null
                extent=all
                break
                ;;
            "Pass 1"*) extent=all && break ;;
        esac
    done
    # It may have very much to say from here on, which the shell reads slowly.
    echo "$((count + $(grep -c "Error reading block"))) $extent"
}

# mount_home DEVICE: sets `wrong` where it does not mount, or is without its folders, and fails. Every home has them, for they are made before its mark is
# wiped; in the place of those that a disk lost there must be no new ones, which would hide from everybody that their files are still there.
mount_home() {
    wrong="does not mount"
    remedy=$other_home
    mount -t ext4 -o "$options" "$1" /run/layers/home || return
    has_folders || find_folders && return
    wrong="has lost its folders home or state"
    remedy="from another system, look into its lost+found, and move back what is there: home has people's folders, state has machine-id; or $ephemeral"
    umount /run/layers/home
    return 1
}

has_folders() {
    is_reset_cut || { [ -d /run/layers/home/home ] && [ -d /run/layers/home/state ]; }
}

# is_reset_cut: whether a reset was cut, which makes what is missing at this start (reset.sh).
is_reset_cut() {
    for left in /run/layers/home/gone-*; do
        [ ! -e "$left" ] || return 0
    done
    return 1
}

# find_folders: gives home and state their names again, where e2fsck put them into lost+found and no other folder there can be meant. Both are root's: state,
# which nobody else reads, has condor/ and machine-id; home has people's folders.
find_folders() {
    homes=
    states=
    for place in /run/layers/home/lost+found/*; do
        case $(stat -c '%F %u %a' "$place" 2>/dev/null) in
            'directory 0 755') ! has_people "$place" || homes="$homes $place" ;;
            'directory 0 700') [ ! -d "$place/condor" ] || [ ! -f "$place/machine-id" ] || states="$states $place" ;;
        esac
    done
    # shellcheck disable=SC2086 # words are wanted
    take_back home $homes && take_back state $states
}

has_people() { # has_people FOLDER: whether a folder in it is a person's
    for person in "$1"/*/; do
        [ "$(stat -c %u "$person" 2>/dev/null || echo 0)" -lt 1000 ] || return 0
    done
    return 1
}

# take_back NAME FOLDER...: the folder is NAME, if there is none and it is the only one.
take_back() {
    [ ! -d "/run/layers/home/$1" ] || return 0
    [ $# = 2 ] && mv "$2" "/run/layers/home/$1" || return
    say home "repair=$home what=\"the folder $1 was found in lost+found, where other files may be that the disk lost\""
}

# make_folders: makes those of the home layer that are not there.
make_folders() {
    mkdir -p /run/layers/home/home /run/layers/home/state/condor ||
        stop WOWHOME "the folders home and state cannot be made" "look at the disk of the home, which may be full or damaged; or $ephemeral"
    chmod 700 /run/layers/home/state
}

# open_home MODE: mounts the home layer at /run/layers/home.
open_home() {
    mkdir -p /run/layers/home
    if [ "$1" = ephemeral ]; then
        mount -t tmpfs -o mode=755,size=50%,nosuid home /run/layers/home
    else
        find_home
        is_writable "$home" || stop "$home" "the home's disk is read-only. Nothing was changed" "make it writable in the hypervisor; or $ephemeral"
        [ "$state" != whole ] || [ "$(reaches "$home" 1024)" -le "$(blocks "$home")" ] || stop "$home" \
            "the home's disk was made smaller, to $(($(blocks "$home") / 256)) MiB, and ends before its file system does. Nothing was changed" \
            "make it $((($(reaches "$home" 1024) + reserved + 255) / 256)) MiB again"
        # An unfinished home is finished first: its mark stands where the partition ends.
        [ "$state" != blank ] || grow_partition "$home"
        case $state in
            whole) repair_home "$home" ;;
            blank | unfinished) make_home "$home" ;;
            beheaded)
                say home "repair=$home what=\"first superblock damaged, taking a backup\""
                start_stopped
                check_home "$home" -y -b 32768 -B 4096 || true
                repair_home "$home"
                ;;
            *) refuse "$home" ;;
        esac
        [ "$state" = blank ] || grow_partition "$home"
        grow_file_system "$home"
        mount_home "$home" || { repair_home "$home" "$wrong" && mount_home "$home"; } || stop "$home" "the home layer $wrong" "$remedy"
    fi
    # A reset that was cut makes them when it has removed what took their room (reset.sh).
    is_reset_cut || make_folders
}

# bind_home ROOT: puts home and state where programs look for them.
bind_home() {
    home=/run/layers/home
    # Ids of system accounts may differ in a newer base.
    owner=$(stat -c %u:%g "$1/var/lib/condor/spool")
    [ "$(stat -c %u:%g $home/state/condor)" = "$owner" ] || chown -R "$owner" $home/state/condor
    # One that the disk cannot read is none.
    id=''
    { read -r id < $home/state/machine-id; } 2> /dev/null
    if [ -z "$id" ]; then
        tr -d '-' < /proc/sys/kernel/random/uuid > $home/state/machine-id.new
        sync
        mv $home/state/machine-id.new $home/state/machine-id
    fi
    # In develop it is no part of the module.
    # shellcheck disable=SC2154 # init sets it
    [ "$mode" = develop ] || cat $home/state/machine-id > "$1/etc/machine-id"
    # Without them the machine would be a new one, in memory.
    { mount --bind $home/home "$1/home" && mount --bind $home/state "$1/var/lib/wow" && mount --bind $home/state/condor "$1/var/lib/condor/spool"; } ||
        stop WOWHOME "the folders home and state cannot be read" "start the machine once more: it repairs its home then; where that does not help, $other_home"
}
