# shellcheck shell=sh
# The home layer: the partition WOWHOME, with home/ and state/. Made on first boot. Power may fail at any moment of that: the label
# WOWHOME comes last, so what does not carry it yet was never used and is made anew.

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

make_home() {
    say "home make=$1"
    # A small journal and few inodes: home is small, and making them costs time on first boot.
    base_tool /usr/sbin/mke2fs -q -F -t ext4 -b 4096 -J size=16 -i 65536 -m 1 -L WOWHOME.new "$1" || stop "file=$1 the home layer cannot be made"
    mount -t ext4 "$1" /run/layers/home || stop "file=$1 the new home layer does not mount"
    mkdir -p /run/layers/home/home /run/layers/home/state
    sync
    umount /run/layers/home
    base_tool /usr/sbin/e2label "$1" WOWHOME || stop "file=$1 the home layer cannot be labelled"
    sync
}

# repair_home DEVICE: replays the journal and repairs what a power cut left behind, when the superblock says that it may be needed.
repair_home() {
    state=$(field "$1" 1082 2)
    incompatible=$(field "$1" 1120 1)
    case $state:$((0x$incompatible & 4)) in 0100:0) return ;; esac
    base_tool /usr/sbin/e2fsck -p "$1" > /dev/null
    [ $? -lt 4 ] && return
    say "home repair=$1 damaged beyond the journal; repairing all that can be repaired"
    base_tool /usr/sbin/e2fsck -y "$1" > /dev/null
    [ $? -lt 4 ] || stop "file=$1 the home layer is damaged and e2fsck cannot repair it"
}

# open_home MODE: mounts the home layer at /run/layers/home.
open_home() {
    mkdir -p /run/layers/home
    if [ "$1" = ephemeral ]; then
        mount -t tmpfs -o mode=755,size=50% home /run/layers/home
    else
        home=$(partition WOWHOME) || stop "no disk has a partition named WOWHOME; take a fresh image, or boot with wow.mode=ephemeral"
        label=$(superblock "$home" 1024)
        if [ -z "$label" ]; then
            # The first superblock is the last thing that mke2fs writes. A backup with our label beside a bad first one is damage.
            if [ "$(superblock "$home" 134217728)" = WOWHOME ]; then
                say "home repair=$home first superblock damaged, taking a backup"
                base_tool /usr/sbin/e2fsck -y -b 32768 -B 4096 "$home" > /dev/null
                label=WOWHOME
            else
                label=WOWHOME.new
            fi
        fi
        case $label in
            WOWHOME) repair_home "$home" ;;
            WOWHOME.new) make_home "$home" ;;
            *) stop "file=$home the partition WOWHOME holds another file system, labelled $label; nothing was changed" ;;
        esac
        mount -t ext4 -o noatime "$home" /run/layers/home || stop "file=$home the home layer does not mount"
    fi
    mkdir -p /run/layers/home/home /run/layers/home/state/condor
    chmod 700 /run/layers/home/state
}

# bind_home ROOT: puts home and state where programs look for them.
bind_home() {
    home=/run/layers/home
    # Ids of system accounts may differ in a newer base.
    owner=$(stat -c %u:%g "$1/var/lib/condor/spool")
    [ "$(stat -c %u:%g $home/state/condor)" = "$owner" ] || chown -R "$owner" $home/state/condor
    if [ ! -s $home/state/machine-id ]; then
        tr -d '-' < /proc/sys/kernel/random/uuid > $home/state/machine-id.new
        sync
        mv $home/state/machine-id.new $home/state/machine-id
    fi
    cat $home/state/machine-id > "$1/etc/machine-id"
    mount --bind $home/home "$1/home"
    mount --bind $home/state "$1/var/lib/wow"
    mount --bind $home/state/condor "$1/var/lib/condor/spool"
}
