# shellcheck shell=sh
# shellcheck disable=SC2154
# What the scripts that make parts of the image share: a part is made anew only if what it is made of has changed. The caller has set `work`.

# inputs PATH...: one hash over names, modes and contents; what Python and its checkers leave beside programs is none of them, nor goes it into a layer.
inputs() {
    find "$@" -type d \( -name __pycache__ -o -path '*/usr/lib/wow/node/build' \) -prune -o -type l -printf '%p %l\n' -o \
        -type f -printf '%m %p ' -exec sha256sum {} \; | LC_ALL=C sort | sha256sum | cut -c1-16
}

# other_base LAST NEW: says where the packages of a base are others than those of the last build's, and neither WOW_LOCK nor WOW_FRESH asked for that. LAST is a link to
# its folder, of which nothing may be left, NEW the folder.
other_base() {
    if [ -z "${WOW_LOCK:-}${WOW_FRESH:-}" ] && [ -e "$1/packages.lock" ] && ! cmp -s "$1/packages.lock" "$2/packages.lock"; then
        echo "image: the base has other packages than that of the last build. To build of those again, set:"
        echo "image:   WOW_LOCK=$(readlink -f "$1/packages.lock")"
    fi
}

# alone NAME: waits for whoever does the same in this clone, for both would write the same files; and says so. Descriptor 8 is the turn: it ends with this process, and
# with those that it leaves.
alone() {
    exec 8> "$work/keys/$1.lock"
    flock -n 8 && return
    echo "image: another build is at work in this clone; this one goes on when it has ended"
    flock 8
}

# of_layers LIST COMMAND...: runs it with the lines of a file behind its words; the clone's path may have blanks.
of_layers() {
    list=$1
    shift
    while IFS= read -r layer; do
        set -- "$@" "$layer"
    done < "$list"
    "$@"
}

# step NAME KEY COMMAND...: runs the command unless its last success had the same key.
step() {
    name=$1
    key=$2
    shift 2
    if [ "$(cat "$work/keys/$name" 2>/dev/null)" = "$key" ]; then
        echo "image: $name unchanged"
        return
    fi
    started=$(date +%s)
    rm -f "$work/keys/$name"
    "$@"
    # After a power cut a key must not speak for a part that is half there.
    sync -f "$work"
    echo "$key" > "$work/keys/$name"
    echo "image: $name $(($(date +%s) - started)) s"
}
