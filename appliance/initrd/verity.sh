# shellcheck shell=sh
# Base and node's layer are read by dm-verity: the kernel holds each block against a tree of hashes (docs/decisions/0084), and gives an I/O error where the disk
# has lost it. Whatever is wrong with that, the machine starts without, and says so. wow.stack.verity makes the trees and says what a line of them is.
# shellcheck disable=SC2154 # layers.sh has image_list
mapped=
unhashed=

# map_layers: maps those layers of the image's list that have a tree: the mapping NAME is the layer NAME.squashfs then. dmsetup is the base's, and what is
# mounted cannot be mapped, so the base is mounted for it alone.
map_layers() {
    tables=''
    base_file=''
    if ! grep -q '^# tree ' "$image_list" 2>/dev/null; then
        unhashed="its list names no hash tree"
        return
    fi
    load verity
    [ -e /sys/module/dm_verity ] || { unhashed="the kernel has no dm-verity"; return; }
    while read -r kind name file blocks root found; do
        case "$kind $name" in
            'base '*) base_file=$file ;;
            '# tree') map_one ;;
        esac
    done < "$image_list"
    if [ -n "$tables" ] && mount_layer_file "$base_file" 0; then
        base_tool /usr/sbin/dmsetup --noudevsync --noudevrules create --concise "$tables" > /run/dmsetup 2>&1 ||
            unhashed="dmsetup failed: $(head_of /run/dmsetup)"
        rm /run/dmsetup
        umount /run/layers/0
    fi
}

# map_one: adds a layer's table to `tables`.
map_one() {
    if [ "$(sha256sum "/run/layers/sys/layers/$file" 2>/dev/null | cut -d' ' -f1)" != "$found" ]; then
        unhashed="the disk has lost a part of $file"
        return
    fi
    file=${file%.tree}
    if ! { data=$(losetup -f) && losetup -r "$data" "/run/layers/sys/layers/$file.squashfs" && hashes=$(losetup -f) &&
        losetup -r "$hashes" "/run/layers/sys/layers/$file.tree"; } 2>/dev/null; then
        unhashed="no loop device reads $file"
        return
    fi
    tables="$tables${tables:+;}$file,,,ro,0 $((blocks * 8)) verity 1 $data $hashes 4096 4096 $blocks 0 blake2b-256 $root -"
}

mount_layer_file() {
    mkdir -p "/run/layers/$2"
    mount -t squashfs -o ro,loop "/run/layers/sys/layers/$1" "/run/layers/$2" 2>/dev/null
}

head_of() {
    read -r said_first < "$1" || true
    echo "${said_first:-it said nothing}" | tr -cd ' -~' | tr -d '"='
}

# mount_mapped FILE PLACE: mounts a layer by its mapping; fails where it has none, or that does not mount.
mount_mapped() {
    case $1 in /run/layers/sys/*) ;; *) return 1 ;; esac
    mapping_of "$1" || return
    if ! mount -t squashfs -o ro "$mapping" "$2"; then
        unhashed="${1##*/} does not mount by its mapping"
        return 1
    fi
    mapped="$mapped ${1##*/}"
}

# mapping_of FILE: sets `mapping`, by the kernel's name, which is there without udev.
mapping_of() {
    for mapping in /sys/block/dm-*; do
        mapping_name=
        [ ! -e "$mapping/dm/name" ] || read -r mapping_name < "$mapping/dm/name" || true
        if [ "$mapping_name.squashfs" = "${1##*/}" ]; then
            mapping=/dev/${mapping##*/}
            return
        fi
    done
    return 1
}

# tell_of_hashes: says once where base or node's layer is read without.
tell_of_hashes() {
    set -f
    # shellcheck disable=SC2086 # words are wanted
    set -- $mapped
    set +f
    [ $# -lt 2 ] || return 0
    unhashed=${unhashed:-a layer has no mapping}
    echo "unhashed=$unhashed" >> /run/layers/system
    say verity "what=\"$unhashed\""
}
