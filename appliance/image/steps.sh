# shellcheck shell=sh
# shellcheck disable=SC2154
# What the scripts that make parts of the image share: a part is made anew only if what it is made of has changed. The caller has set `work`.

# inputs PATH...: one hash over names, modes and contents; what Python and its checkers leave beside programs is none of them, nor goes it into a layer.
inputs() {
    find "$@" -type d \( -name __pycache__ -o -path '*/usr/lib/wow/node/build' \) -prune -o -type l -printf '%p %l\n' -o \
        -type f -printf '%m %p ' -exec sha256sum {} \; | LC_ALL=C sort | sha256sum | cut -c1-16
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
    echo "$key" > "$work/keys/$name"
    echo "image: $name $(($(date +%s) - started)) s"
}
