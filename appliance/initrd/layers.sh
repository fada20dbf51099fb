# shellcheck shell=sh
# The stack: base, the node's layer, modules, each a squashfs file.

# check FILE SIZE DIGEST: a whole and unchanged layer file, or the reason why the boot stops. Reading a layer costs
# seconds on a slow host (15 MB: 2 s under emulation), so the digest is compared here for what is small, and for all when asked to or
# when a layer does not mount; wow-layers.service compares all of them later, when the machine is idle.
check() {
    [ -f "$1" ] || stop "file=${1#/run/layers/sys} the layer is missing on WOWSYS; take a fresh image, home is kept"
    [ "$(stat -c %s "$1")" = "$2" ] || damaged "$1"
    if [ -n "$verify" ] || [ "$2" -le 1048576 ]; then
        verify_layer "$1" "$3"
    fi
}

verify_layer() {
    [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$2" ] || damaged "$1"
}

damaged() {
    stop "file=${1#/run/layers/sys} the layer is damaged (not what stacks/A.conf lists); take a fresh image, home is kept"
}

number=0
lower=

# stack KIND... : mounts the layers of these kinds that the list names, bottom first, at /run/layers/0, 1, ... above those of the call
# before, and sets `lower`, top first, in short relative names: the kernel's option string ends at one page.
# A line of the list: KIND NAME FILE SIZE SHA256, where KIND is base, node or module.
stack() {
    list=/run/layers/sys/stacks/A.conf
    [ -f "$list" ] || stop "file=${list#/run/layers/sys} the list of layers is missing on WOWSYS; take a fresh image, home is kept"
    case " $* " in *" module "*) chosen=$(wanted_modules) ;; esac
    while read -r kind name file size digest; do
        case $kind in
            '' | '#'*) continue ;;
            base | node) ;;
            module)
                case ${chosen:- $name } in *" $name "*) ;; *) continue ;; esac
                ;;
            *) stop "file=${list#/run/layers/sys} unknown kind of layer: $kind" ;;
        esac
        case " $* " in *" $kind "*) ;; *) continue ;; esac
        check "/run/layers/sys/layers/$file" "$size" "$digest"
        mkdir "/run/layers/$number"
        if ! mount -t squashfs -o ro,loop "/run/layers/sys/layers/$file" "/run/layers/$number"; then
            verify_layer "/run/layers/sys/layers/$file" "$digest"
            stop "file=layers/$file the layer does not mount"
        fi
        lower=$number${lower:+:$lower}
        number=$((number + 1))
    done < "$list"
    [ -n "$lower" ] || stop "file=${list#/run/layers/sys} the list names no layer"
}
