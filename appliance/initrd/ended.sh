# shellcheck shell=sh
# Tells GRUB that this start came to its end, or the next one shows the menu (appliance/image/boot/grub.cfg). GRUB wrote one block of a file, and that
# block alone is written here, in its place: no power cut harms the file system, for nothing else of it changes but its mark that it is in use.
environment=/config/grub/grubenv

# start_ended: on a disk that cannot be written GRUB wrote nothing either. Nothing here may stop a boot.
start_ended() {
    place=$(partition WOWESP) || return 0
    load fat
    mkdir -p /config
    mount -t vfat -o iocharset=ascii "$place" /config 2>/dev/null || return 0
    if grep -q '^unfinished=yes$' "$environment" 2>/dev/null; then
        # As long as what it replaces, with GRUB's own filler; which system is on trial stays.
        {
            printf '# GRUB Environment Block\n'
            grep '^[a-z]*=' "$environment" | sed 's/^unfinished=.*/unfinished=no/'
            dd if=/dev/zero bs=1024 count=1 2>/dev/null | tr '\000' '#'
        } > /run/grubenv
        dd if=/run/grubenv of="$environment" bs=1024 count=1 conv=notrunc,fsync 2>/dev/null
        rm /run/grubenv
    fi
    umount /config
}
