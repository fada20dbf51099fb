# shellcheck shell=sh
# GRUB's environment block (appliance/image/boot/grub.cfg). It is one block of a file, and that block alone is written here, in its place: no power cut
# harms the file system, for nothing else of it changes but its mark that it is in use.
environment=/config/grub/grubenv

# change_environment UNLESS NAME=VALUE...: has the block say so; fails where it does not. UNLESS, if it is not empty: a line that the block must have, or
# nothing is changed.
change_environment() {
    in_environment write_environment "$@"
}

# environment_has NAME=VALUE: whether the block says so.
environment_has() {
    in_environment grep -q "^$1$" "$environment" 2>/dev/null
}

# in_environment COMMAND...: runs it while the block is there.
in_environment() {
    # The disk of an earlier machine has one, too.
    place=$(partition WOWESP "${system:-}") || return
    load fat
    mkdir -p /config
    mount -t vfat -o iocharset=ascii "$place" /config 2>/dev/null || return
    "$@"
    result=$?
    umount /config
    return "$result"
}

write_environment() {
    grep -q "^$1" "$environment" 2>/dev/null || return
    shift
    grep '^[a-z]*=' "$environment" > /run/grubenv.lines
    for word in "$@"; do
        grep -q "^${word%%=*}=" /run/grubenv.lines || echo "$word" >> /run/grubenv.lines
        sed -i "s/^${word%%=*}=.*/$word/" /run/grubenv.lines
    done
    # As long as what it replaces, with GRUB's own filler; what else it says stays.
    {
        printf '# GRUB Environment Block\n'
        cat /run/grubenv.lines
        dd if=/dev/zero bs=1024 count=1 2>/dev/null | tr '\000' '#'
    } > /run/grubenv
    dd if=/run/grubenv of="$environment" bs=1024 count=1 conv=notrunc,fsync 2>/dev/null
    result=$?
    rm /run/grubenv /run/grubenv.lines
    return "$result"
}

# start_ended: tells GRUB that this start came to its end, or the next one shows the menu. On a disk that cannot be written GRUB wrote nothing either.
# What was found of a system that was left (damage.sh) counts until one starts that leaves none. Nothing here may stop a boot.
start_ended() {
    if [ -n "${damaged:-}" ]; then set --; else set -- looked=; fi
    change_environment 'unfinished=[ya]' unfinished=no "$@" || true
}

# start_stopped: this start ends on a screen that says why, or does what takes long and may be cut: neither kernel nor initrd are damaged, and GRUB need
# not take the other system for that.
start_stopped() {
    change_environment unfinished=again unfinished=yes || true
}
