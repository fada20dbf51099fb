# shellcheck shell=sh
# The stack of modules that the pool's CA published, as wow-stack left it in home (docs/decisions/0066): WOWHOME:/stacks/next, in the form of the
# image's own list, and its layers in WOWHOME:/layers. Whatever is wrong with it, the machine starts: with the stack that was found good last, or
# with what its image has. wow-join finds a stack good, when the machine is back in its pool. The scripts share their variables: what lives longer
# than a function is called stack_ something here.
stacks=/run/layers/home/stacks
tries=3
source=
stacks_tried=
stack_left=

# stack_modules: mounts modules and glue of the first stack that serves; the image's own always does, or the boot stops.
stack_modules() {
    [ -n "$stacks_tried" ] || { stack_from=$number stack_over=$lower stack_below=$digests; }
    for source in next good; do
        case " $stacks_tried " in *" $source "*) continue ;; esac
        stacks_tried="$stacks_tried $source"
        is_there "$source" || continue
        number_of "$stacks/$source"
        list=$stacks/$source
        # shellcheck disable=SC2034 # layers.sh reads it
        published=yes
        holder="the pool's stack $stack_number"
        if ! is_for_image; then
            wrong="it was made over another base or node than this image has"
        elif ! count_start; then
            :
        elif stack module glue; then
            tell_of_stack
            return
        fi
        leave "$wrong"
    done
    source=image
    # shellcheck disable=SC2154 # layers.sh has it
    list=$image_list
    # shellcheck disable=SC2034 # layers.sh reads both
    published='' holder="this image"
    stack module glue
    tell_of_stack
}

# is_there STACK: whether there is such a stack to take. What was found good counts beside another next one alone.
is_there() {
    # shellcheck disable=SC2154 # init sets it
    [ "$mode" != ephemeral ] && [ -f "$stacks/next" ] && [ -f "$stacks/$1" ] || return
    [ "$1" = next ] || ! cmp -s "$stacks/next" "$stacks/good"
}

# number_of FILE: sets `stack_number`, the notice's; it stands in the first line.
number_of() {
    read -r _ _ stack_number < "$1" || true
    case $stack_number in '' | *[!0-9]*) stack_number="without a number" ;; esac
}

# is_for_image: the first lines of a published stack are the image's own.
is_for_image() {
    [ "$(grep -e '^base ' -e '^node ' "$list")" = "$(grep -e '^base ' -e '^node ' "$image_list")" ]
}

# count_start: counts a start with a stack that was not found good yet, on the disk, before anything of it is used. Fails where it had its starts.
# The count is of one text: a newer stack begins anew. While a module is developed nothing is counted: the start after it is in release again.
count_start() {
    [ "$source" = next ] && ! cmp -s "$stacks/next" "$stacks/good" || return 0
    text=$(sha256sum < "$stacks/next" | cut -d' ' -f1)
    of='' count=0
    [ ! -f "$stacks/tries" ] || read -r of count < "$stacks/tries" || true
    [ "$of" = "$text" ] || count=0
    case $count in [0-9]) ;; *) count=0 ;; esac
    if [ "$count" -ge "$tries" ]; then
        wrong="after $tries starts with it this machine was not back in its pool"
        return 1
    fi
    [ "$mode" != develop ] || return 0
    if ! { echo "$text $((count + 1))" > "$stacks/tries.new" && sync && mv "$stacks/tries.new" "$stacks/tries"; }; then
        wrong="its starts cannot be counted, for home cannot be written"
        return 1
    fi
    sync
}

# leave WHY: what was mounted of the stack is taken back.
leave() {
    while [ "$number" -gt "$stack_from" ]; do
        number=$((number - 1))
        umount "/run/layers/$number"
    done
    # shellcheck disable=SC2154 # layers.sh sets it
    case $tree in '' | -) ;; *) umount /run/layers/glue ;; esac
    tree=
    lower=$stack_over
    digests=$stack_below
    say stack "leave=$source number=${stack_number%% *} what=\"$1\""
    # What was published last is what people ask about.
    [ -n "$stack_left" ] || { stack_left=$stack_number stack_why=$1; }
}

# tell_of_stack: leaves for the running system which stack was taken and why not another; tells people where it is not the one that was published.
tell_of_stack() {
    # Not by cp, which keeps the mode of what only root reads.
    cat "$list" > /run/layers/list
    {
        echo "source=$source"
        [ "$source" = image ] || echo "number=$stack_number"
        [ -z "$stack_left" ] || printf 'left=%s\nwhy=%s\n' "$stack_left" "$stack_why"
    } > /run/layers/stack
    if [ "$source" != image ]; then
        # The layers are in use until the machine is off: trying to unmount home at shutdown would only fail. Its last step writes home out.
        mkdir -p /run/systemd/system/run-layers-home.mount.d
        printf '[Unit]\nDefaultDependencies=no\n' > /run/systemd/system/run-layers-home.mount.d/wow.conf
        # shellcheck disable=SC2154 # layers.sh sets it
        say stack "take=$source number=${stack_number%% *} modules=\"$(words_of "$picked")\""
    elif [ -n "$without" ]; then
        say stack "take=$source modules=\"$(words_of "$picked")\""
    fi
    [ -n "$stack_left" ] || return 0
    case $source in
        image) with="the modules of its image" ;;
        *) with="the pool's stack $stack_number, which was found good before" ;;
    esac
    warn stacks/next "the pool's stack $stack_left is not taken: $stack_why. The machine starts with $with" \
        "tell the pool's administrator; on this machine look with: wow status"
}
