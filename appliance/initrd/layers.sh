# shellcheck shell=sh
# The stack: base, the node's layer, modules, each a squashfs file.
# shellcheck disable=SC2034 # damage.sh shows it
fresh="take a fresh image for the system's disk; home is kept"

# shellcheck disable=SC2154 # init sets it
image_list=/run/layers/sys/stacks/$slot.conf
list=$image_list
published=
holder="this image"
wrong=

# check FILE SIZE DIGEST: whether it is a whole and unchanged layer file; sets `wrong` where it is not. Reading a layer costs
# seconds on a slow host (15 MB: 2 s under emulation), so the digest is compared here for what is small, and for all when asked to or
# when a layer does not mount; wow-layers.service compares all of them later, when the machine is idle.
check() {
    [ -f "$1" ] || { wrong="the layer is missing"; return 1; }
    # Each program that starts here takes hundredths of a second, for each layer: a digest that is right says the size, too.
    if [ -n "$verify" ] || [ "$2" -le 1048576 ]; then
        verify_layer "$1" "$3"
    else
        [ "$(stat -c %s "$1")" = "$2" ] || damaged
    fi
}

# verify_layer FILE DIGEST: whether it is whole, byte by byte.
verify_layer() {
    summed=$(sha256sum "$1")
    [ "${summed%% *}" = "$2" ] || damaged
}

damaged() {
    wrong="the layer is damaged (not what stacks/${list##*/} lists)"
    return 1
}

# mount_layer FILE SIZE DIGEST PLACE: mounts a layer; sets `wrong` where that is not possible.
mount_layer() {
    check "$1" "$2" "$3" || return
    mkdir -p "/run/layers/$4"
    ! mount_mapped "$1" "/run/layers/$4" || return 0
    mount -t squashfs -o ro,loop "$1" "/run/layers/$4" && return
    verify_layer "$1" "$3" && wrong="the layer does not mount, though it is what stacks/${list##*/} lists"
    return 1
}

# tell_of_system: leaves for the running system which of the two this is, whether it is on trial, which one was given up, which one is damaged; and where
# its list is.
tell_of_system() {
    # shellcheck disable=SC2154 # init sets them
    printf 'system=%s\ntrial=%s\nleft=%s\ndamaged=%s\n' "$slot" "$trial" "$given_up" "$damaged" > /run/layers/system
    ln -s "sys/stacks/$slot.conf" /run/layers/image
    # What watches over a trial (wow-trial.timer) waits for this file.
    [ -z "$trial" ] || : > /run/layers/trial
}

number=0
lower=
base=
digests=

# stack KIND... : mounts the layers of these kinds that the list names, bottom first, at /run/layers/0, 1, ... above those of the call
# before, and sets `lower`, top first, in short relative names: the kernel's option string ends at one page. Sets `base`, the base's digest, and
# `digests`, all of them, bottom first, as JSON has them. Where the list is the pool's (stacks.sh) and a layer is no good it fails and sets `wrong`;
# where it is the image's the boot stops.
# A line of the list: KIND NAME FILE SIZE SHA256, where KIND is base, node, module or glue.
stack() {
    [ -f "$list" ] || lost "${list#/run/layers/sys}" "the list of layers is missing on WOWSYS"
    if [ -n "$published" ]; then place=home; else place=sys; fi
    case " $* " in *" module "*) choose || return ;; esac
    while read -r kind name file size digest; do
        case $kind in
            '' | '#'*) continue ;;
            base | node) ;;
            module) case $picked in *" $name "*) ;; *) continue ;; esac ;;
            glue) [ "$tree" != - ] || continue ;;
            *)
                wrong="the list of layers has a kind that is not known: $kind"
                [ -z "$published" ] || return 1
                lost "${list#/run/layers/sys}" "$wrong"
                ;;
        esac
        case " $* " in *" $kind "*) ;; *) continue ;; esac
        if [ "$kind" = glue ] && [ -n "$tree" ]; then
            mount_tree || bad_layer || return
        else
            mount_layer "/run/layers/$place/layers/$file" "$size" "$digest" "$number" || bad_layer || return
        fi
        lower=$number${lower:+:$lower}
        digests="$digests${digests:+, }\"$digest\""
        # shellcheck disable=SC2034 # modes.sh compares it
        [ "$kind" != base ] || base=$digest
        number=$((number + 1))
    done < "$list"
    [ -n "$lower" ] || lost "${list#/run/layers/sys}" "the list names no layer"
    case " $* " in *" module "*) tell_of_modules ;; esac
}

# mount_tree: mounts the part of the glue that is of those modules alone that are stacked.
mount_tree() {
    mkdir -p "/run/layers/$number"
    mount --bind "/run/layers/glue/$trees/of/$tree" "/run/layers/$number" && return
    wrong="it has no part $tree, which its list names"
    return 1
}

# bad_layer: what comes of a layer that is no good: `wrong` says why.
bad_layer() {
    [ -z "$published" ] || { wrong="$name: $wrong"; return 1; }
    lost "/layers/$file" "$wrong"
}

picked=
tree=
trees=usr/lib/wow/modules/glue

# choose: sets `chosen`, what the pool chooses; `offered`, the modules of the list; `picked`, those of them that are stacked, in their order, with a blank at both
# ends; `tree`: "" where the glue is of all of them, - where they need none, or the number of their own part of it (appliance/layers/choosing.py). A
# choice that the glue has no part for would start with programs that are half there: all modules are stacked then.
choose() {
    chosen=$(wanted_modules)
    offered='' picked=' ' without='' tree=''
    while read -r kind name file size digest; do
        case $kind in
            module)
                offered="$offered $name"
                # A module that is in work goes on from what was published of it.
                case ${chosen:- $name }${developed:+ $developed } in
                    *" $name "*) picked="$picked$name " ;;
                    *) without="$without $name" ;;
                esac
                ;;
            glue)
                [ -n "$without" ] || return 0
                tree=-
                [ "$picked" != " " ] || return 0
                mount_layer "/run/layers/$place/layers/$file" "$size" "$digest" glue || bad_layer || return
                if ! choice "/run/layers/glue/$trees/choices"; then
                    picked=${picked# }
                    warn pool.conf "[modules] names leaves out$without, and $holder has no glue for the others alone; so this machine has all modules" \
                        "choose all of them, or others; or have a stack made for this choice: wow image stack --choice '${picked% }'"
                    picked="$offered " tree=''
                fi
                case $tree in '' | -) umount /run/layers/glue ;; esac
                ;;
        esac
    done < "$list"
}

# choice INDEX: finds the tree of those that are picked.
choice() {
    [ -f "$1" ] || return
    while read -r tree names; do
        [ " $names " != "$picked" ] || return 0
    done < "$1"
    return 1
}

# words_of WORDS: the same with one blank between two.
words_of() {
    # shellcheck disable=SC2086,SC2116 # words are wanted
    echo $1
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
    echo "stacked=$(words_of "$picked")" >> /run/layers/modules
    [ -z "$absent" ] || warn pool.conf "[modules] names: $holder has no layer named $absent; the machine starts without" \
        "take an image that has it, or have it published; or correct the name in pool.conf"
}
