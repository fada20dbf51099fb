# shellcheck shell=sh
# The stack: base, the node's layer, modules, each a squashfs file.
fresh="take a fresh image for the system's disk; home is kept"

# check FILE SIZE DIGEST: a whole and unchanged layer file, or the reason why the boot stops. Reading a layer costs
# seconds on a slow host (15 MB: 2 s under emulation), so the digest is compared here for what is small, and for all when asked to or
# when a layer does not mount; wow-layers.service compares all of them later, when the machine is idle.
check() {
    [ -f "$1" ] || stop "${1#/run/layers/sys}" "the layer is missing on WOWSYS" "$fresh"
    [ "$(stat -c %s "$1")" = "$2" ] || damaged "$1"
    if [ -n "$verify" ] || [ "$2" -le 1048576 ]; then
        verify_layer "$1" "$3"
    fi
}

verify_layer() {
    [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$2" ] || damaged "$1"
}

damaged() {
    stop "${1#/run/layers/sys}" "the layer is damaged (not what stacks/A.conf lists)" "$fresh"
}

number=0
lower=
base=
digests=

# stack KIND... : mounts the layers of these kinds that the list names, bottom first, at /run/layers/0, 1, ... above those of the call
# before, and sets `lower`, top first, in short relative names: the kernel's option string ends at one page. Sets `base`, the base's digest, and
# `digests`, all of them, bottom first, as JSON has them.
# A line of the list: KIND NAME FILE SIZE SHA256, where KIND is base, node, module or glue. The glue is of all the list's modules together:
# where one is left out, it is, too.
stack() {
    list=/run/layers/sys/stacks/A.conf
    [ -f "$list" ] || stop "${list#/run/layers/sys}" "the list of layers is missing on WOWSYS" "$fresh"
    case " $* " in *" module "*) chosen=$(wanted_modules) ;; esac
    offered=
    without=
    while read -r kind name file size digest; do
        case $kind in
            '' | '#'*) continue ;;
            base | node) ;;
            module)
                offered="$offered $name"
                # A module that is in work goes on from what was published of it.
                case ${chosen:- $name }${developed:+ $developed } in
                    *" $name "*) ;;
                    *)
                        without="$without $name"
                        continue
                        ;;
                esac
                ;;
            glue)
                if [ -n "$without" ]; then
                    warn pool.conf "[modules] names leaves out$without; so packages and accounts of the other modules are not known here" \
                        "choose all modules of this image, or make an image with those that you want"
                    continue
                fi
                ;;
            *) stop "${list#/run/layers/sys}" "the list of layers has a kind that is not known: $kind" "$fresh" ;;
        esac
        case " $* " in *" $kind "*) ;; *) continue ;; esac
        check "/run/layers/sys/layers/$file" "$size" "$digest"
        mkdir "/run/layers/$number"
        if ! mount -t squashfs -o ro,loop "/run/layers/sys/layers/$file" "/run/layers/$number"; then
            verify_layer "/run/layers/sys/layers/$file" "$digest"
            stop "/layers/$file" "the layer does not mount, though it is what stacks/A.conf lists" "$fresh"
        fi
        lower=$number${lower:+:$lower}
        digests="$digests${digests:+, }\"$digest\""
        # shellcheck disable=SC2034 # modes.sh compares it
        [ "$kind" != base ] || base=$digest
        number=$((number + 1))
    done < "$list"
    [ -n "$lower" ] || stop "${list#/run/layers/sys}" "the list names no layer" "$fresh"
    case " $* " in *" module "*) tell_of_modules ;; esac
}

# tell_of_modules: tells of names that the pool chooses and no layer has; the machine starts with the others. Leaves for wow-config what was
# chosen, so that it can say where that is not what pool.conf says.
tell_of_modules() {
    absent=
    set -f
    for name in $chosen; do
        case "$offered " in *" $name "*) ;; *) absent="$absent${absent:+ }$name" ;; esac
    done
    # shellcheck disable=SC2086 # words are wanted
    set -- $chosen
    set +f
    printf 'modules=%s\nabsent=%s\n' "$*" "$absent" > /run/layers/modules
    [ -z "$absent" ] || warn pool.conf "[modules] names: this image has no layer named $absent; the machine starts without" \
        "take an image that has it, or correct the name in pool.conf"
}
