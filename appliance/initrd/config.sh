# shellcheck shell=sh
# The configuration disk: a FAT disk labelled WOWCFG that holds pool.conf; for a manager manager/, for a machine with an assigned address machine/.

config_kb=16384

# config_disk: prints the device of the FAT file system labelled WOWCFG.
config_disk() {
    findfs LABEL=WOWCFG 2>/dev/null
}

# fetch_config: copies what the node needs to /run/wow-config, which only root reads. Without the disk there is no such folder;
# the node then says what to do. Takes the disk's content once: nothing stays mounted, the disk may be pulled.
fetch_config() {
    if ! disk=$(config_disk); then
        # It may hang on the other kind of controller than the system disk.
        load virtio
        load ata
        disk=$(config_disk) || return 0
    fi
    load fat
    mkdir -p /config
    if ! mount -t vfat -o ro,iocharset=ascii "$disk" /config; then
        say "error step=boot file=$disk the disk WOWCFG does not mount; write it anew with: wow image stamp"
        return 0
    fi
    size=$(du -sk /config | cut -f1)
    if [ "$size" -gt "$config_kb" ]; then
        say "error step=boot file=$disk the disk WOWCFG holds $size KiB, at most $config_kb are read; leave pool.conf and manager/ or machine/ only"
    else
        mkdir -m 700 /run/wow-config
        for name in pool.conf manager machine; do
            [ ! -e "/config/$name" ] || cp -r "/config/$name" /run/wow-config/
        done
        chmod -R go= /run/wow-config
    fi
    umount /config
}

# wanted_modules: the value of `names` in section [modules], or nothing when the pool does not choose. The node's own reader
# checks the file; here only this one value is needed, before there is a Python.
wanted_modules() {
    [ -f /run/wow-config/pool.conf ] || return 0
    awk -F= '/^[[:space:]]*\[/ { inside = /^[[:space:]]*\[modules\]/; next }
        inside && $1 ~ /^[[:space:]]*names[[:space:]]*$/ { sub(/^[^=]*=/, ""); print " " $0 " " }' /run/wow-config/pool.conf | tr -d '\r'
}
