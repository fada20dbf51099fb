# shellcheck shell=sh
# In which mode this start is. release: what is written to the system is gone at a stop. ephemeral: so is home. develop: what is written to the
# system stays, with one module, in home's disk (WOWHOME:/modules/NAME). The kernel's words come first; then what `wow boot` asked for one start.
works=/run/layers/home/modules
request=/run/layers/home/state/boot/next
again="start the machine once more: it starts in release, and nothing is lost"
room=65536 # KiB that must be free before a module is worked on
developed=
moved=

# is_name WORD: whether a module may be called so (docs/reference/modules.md).
is_name() {
    case $1 in
        '' | -* | *- | *[!a-z0-9-]*) return 1 ;;
    esac
    [ "${#1}" -le 32 ]
}

# take_request: sets `mode` and `developed`, the module, to what `wow boot` asked. It counts once: the request is gone before anything comes of it, so a
# start that fails or whose power is cut is followed by one in release.
take_request() {
    [ "$mode" != develop ] || developed=${named:-}
    if [ -f "$request" ]; then
        asked='' name=''
        read -r asked name moved < "$request" || true
        rm -f "$request"
        sync
        case ${said:-$asked} in
            yes | release) ;;
            ephemeral) leave_home ;;
            develop) mode=develop developed=$name ;;
            *) warn state/boot/next "it asks for a mode that there is not; the machine starts in release" "ask again with: wow boot MODE" ;;
        esac
    fi
    [ "$mode" = develop ] || return 0
    [ -n "$developed" ] || last_work
    is_name "$developed" || stop "$developed" "that is no name of a module: 1 to 32 of a-z, 0-9 and hyphens, none of them at an end" "$again"
}

# leave_home: goes on without the home's disk. What the pool is comes along, for the disk WOWCFG may have been pulled.
leave_home() {
    mkdir -m 700 /run/kept
    for name in pool.conf pool.lines pool.left; do
        [ ! -e "/run/layers/home/state/$name" ] || cp "/run/layers/home/state/$name" /run/kept/
    done
    umount /run/layers/home
    mode=ephemeral
    open_home ephemeral
    cp -r /run/kept/. /run/layers/home/state/
    rm -r /run/kept
}

# keep_authority: stops a start that keeps nothing where the disk WOWCFG carries a CA: it would forget whom it admits and revokes in such a start, and
# what the home knows of that would count as little. The agent refuses it, too (the node's acts/boot.py).
keep_authority() {
    [ "$mode" = ephemeral ] && [ -e /run/wow-config/manager/ca ] || return 0
    stop WOWCFG "it carries the pool's certificate authority, which would forget in a start that keeps nothing whom it admits and revokes" \
        "$again. To look at the machine without its pool, take that disk or CD away"
}

# open_work: has the stack's top be the module's own upper, made where it is new. Sets `above`, options of the overlay.
open_work() {
    # nofollow and the three offs of init: only so may a lower layer be replaced under whatever lies above it (kernel, overlayfs.rst).
    above="upperdir=top/upper,workdir=top/work,redirect_dir=nofollow"
    if [ "$mode" = develop ]; then
        # shellcheck disable=SC2154 # config.sh sets it
        ! grep -qx role=manager "$accepted_lines" /run/wow-config/pool.lines 2>/dev/null ||
            stop pool.conf "this machine is a manager of its pool, and on a manager no module is developed" "$again; develop on a worker"
        begin_work "$works/$developed"
        # dpkg replaces folders of lower layers, and moves them for that (docs/decisions/0057).
        # shellcheck disable=SC2034 # init mounts it
        above="upperdir=home/modules/$developed/upper,workdir=home/modules/$developed/work,redirect_dir=on"
    fi
    echo "$mode${developed:+ $developed}" > /run/layers/mode
    tell_of_works
}

# last_work: the menu names no module: sets `developed`, the one that was worked on last.
last_work() {
    for work in "$works"/*/; do
        # shellcheck disable=SC3013 # busybox's test, and dash's, know which file is newer
        if [ -d "$work/upper" ] && { [ -z "$developed" ] || [ "$work/about.json" -nt "$works/$developed/about.json" ]; }; then
            developed=${work%/}
            developed=${developed##*/}
        fi
    done
    [ -n "$developed" ] || stop WOWHOME "no module is in work on this machine" "$again; then begin one with: wow module develop NAME"
}

# begin_work FOLDER: about.json is whole before there is an upper, so one that has none was never used.
begin_work() {
    free=$(stat -f -c '%a %S' /run/layers/home)
    [ $((${free% *} * (${free#* } / 512) / 2)) -ge $room ] ||
        stop WOWHOME "less than $((room / 1024)) MiB are free for the module $developed" "$again; then free some room in /home, or make the disk larger"
    mkdir -p "$works" "$1" 2>/dev/null || stop WOWHOME "the folder of the module $developed cannot be made" "$again; look at df -h /home and df -i /home"
    chmod 700 "$works"
    [ -d "$1/upper" ] || rm -f "$1/about.json"
    if [ -e "$1/about.json" ]; then stop_if_moved "$1/about.json"; else started=$(busybox date -u +%Y-%m-%d); fi
    about > "$1/about.json.new" || stop WOWHOME "about.json of the module $developed cannot be written" "$again; look at df -h /home"
    sync
    mv "$1/about.json.new" "$1/about.json"
    mkdir -p "$1/upper" "$1/work" "$1/apt/archives" "$1/lists" ||
        stop WOWHOME "the folders of the module $developed cannot be made" "$again; look at df -h /home and df -i /home"
    chmod 755 "$1/upper"
}

# stop_if_moved FILE: whether what was written before stands over this base. Sets `started`.
stop_if_moved() {
    started=$(sed -n 's/.*"started": "\([0-9-]*\)".*/\1/p' "$1")
    was=$(sed -n 's/.*"base": {"sha256": "\([0-9a-f]*\)", "date": "\([0-9-]*\)".*/\1 \2/p' "$1")
    # shellcheck disable=SC2154 # layers.sh sets it
    if [ "${was% *}" != "$base" ] && [ "$moved" != over ]; then
        stop "/modules/$developed/about.json" "the module was begun over ${was:+the base of ${was#* }}${was:-another base}, and this one is of $(base_says date). Nothing was changed" \
            "$again; then publish what is there with the image of before, or go on over this base: wow module develop $developed --over"
    fi
}

# base_says KEY: what the node's layer says of the base below it.
base_says() {
    sed -n "s/^ \"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" /run/layers/*/usr/lib/wow/base.json
}

about() {
    # shellcheck disable=SC2154 # layers.sh sets it
    printf '{"name": "%s", "base": {"sha256": "%s", "date": "%s", "abi": "%s"}, "stack": [%s], "started": "%s"}\n' \
        "$developed" "$base" "$(base_says date)" "$(base_says abi)" "$digests" "$started"
}

# tell_of_works: leaves for `wow module list`, which anybody may ask, a line NAME KIB STARTED of each module in work. Takes away what apt fetched for
# those that are not developed in this start.
tell_of_works() {
    for work in "$works"/*/; do
        [ -d "$work/upper" ] || continue
        name=${work%/}
        # What apt fetched is of use while this module is developed, and is no part of it. It may be more than the module.
        [ "${name##*/}" = "$developed" ] || rm -rf "$work/apt" "$work/lists" || :
        echo "${name##*/} $(du -sk "$work" | cut -f1) $(sed -n 's/.*"started": "\([0-9-]*\)".*/\1/p' "$work/about.json")"
    done > /run/layers/works
}

# pins: apt's preferences that keep the base's packages in their versions, for no module may replace them: so apt refuses at once what would need newer
# ones. Priority 1000 (apt_preferences(5)): above the archive's, and nothing is downgraded.
pins() {
    # Those of the base alone: a module may have newer ones of its own.
    sed -n 's/^Package: \(.*\)$/Package: \1/p; s/^Version: \(.*\)$/Pin: version \1\nPin-Priority: 1000\n/p' /run/layers/0/var/lib/dpkg/status
}

# bind_work ROOT: what of the system is no part of a module lies elsewhere; what a developer needs takes the place of what the image has.
bind_work() {
    [ "$mode" = develop ] || return 0
    number=0
    for folder in tmp var/tmp var/log root; do
        number=$((number + 1))
        cp -a "$1/$folder" "/run/layers/top/$number"
        mount --bind "/run/layers/top/$number" "$1/$folder"
    done
    mkdir -p /run/layers/top/pins
    pins > /run/layers/top/pins/wow
    mount --bind /run/layers/top/pins "$1/etc/apt/preferences.d"
    mount --bind "$works/$developed/apt" "$1/var/cache/apt"
    mount --bind "$works/$developed/lists" "$1/var/lib/apt/lists"
    mount --bind /run/layers/home/state/machine-id "$1/etc/machine-id"
    for file in pam.d/su dpkg/dpkg.cfg.d/wow apt/sources.list.d/wow.sources; do
        mount --bind "$1/usr/lib/wow/develop/$file" "$1/etc/$file"
    done
    mkdir -p /run/wow/develop/upper
    cp "$works/$developed/about.json" /run/wow/develop/
    mount --bind "$works/$developed/upper" /run/wow/develop/upper
    mount -o remount,bind,ro /run/wow/develop/upper
}
