# shellcheck shell=bash disable=SC2034,SC2154
# ipopd as a peer of a side-by-side comparison that reads files named peer-NAME.sh. Its caller has made the namespaces pbA (192.0.2.1) and pbB
# (192.0.2.2), joined by one wire, has a scratch folder W and a function `bg COMMAND` that starts a daemon; it calls up_wow and wants B's address in IPB.
# WOW_IPOPD names the program; else it is what `make bench` published last.
WOW_BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

up_wow() {
    local program=${WOW_IPOPD:-$WOW_BENCH/../../../build/dotnet/publish/Ipopd/release_linux-x64/ipopd} n
    [ -x "$program" ] || { echo "peer-wow.sh: no ipopd at $program: run make bench, or set WOW_IPOPD" >&2; return 1; }
    for n in A B; do
        mkdir "$W/wow$n"
        printf '[node]\nstate = %s\nhost = %s\n[pool]\nname = bench\nsubnet = 10.9.128.0/20\nsecret = %s\nopen = yes\nbootstrap = %s\n[tap]\nname = wow%s\n' \
            "$W/wow$n/state" "${n,}" "$(printf '5e%.0s' {1..32})" "$([ $n = A ] || echo udp:192.0.2.1:4433)" $n >"$W/wow$n/conf"
        printf '[udp]\nmulticast = no\nport-mapping = no\n[control]\nsocket = %s\n' "$W/wow$n/control" >>"$W/wow$n/conf"
        bg ip netns exec pb$n "$program" --config "$W/wow$n/conf"
    done
    for n in A B; do
        until [ -S "$W/wow$n/control" ]; do sleep 0.1; done
        ip netns exec pb$n udhcpc -f -q -n -i wow$n -s "$WOW_BENCH/../udhcpc-script" -t 20 -T 1 >"$W/wow$n/lease" 2>>"$W/log" ||
            { echo "peer-wow.sh: no lease in pb$n; $W/log says why" >&2; return 1; }
    done
    IPB=$(sed -n 's/^ip=//p' "$W/wowB/lease")
}
