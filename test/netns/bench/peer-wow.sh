# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154
# ipopd as a peer of a side-by-side comparison that reads files named peer-NAME.sh from its own folder HERE; link this one there. The caller has made
# the namespaces pbA (192.0.2.1) and pbB (192.0.2.2), joined by one wire, has a scratch folder W and a function `bg COMMAND` that starts a daemon; it
# calls up_wow and wants B's address in IPB. WOW_IPOPD names the program; else it is what `make bench` published last.
wow_bench=$(dirname "$(readlink -f "$HERE/peer-wow.sh")")

up_wow() {
    wow_program=${WOW_IPOPD:-$wow_bench/../../../build/image/programs/dotnet/ipopd}
    [ -x "$wow_program" ] || { echo "peer-wow.sh: no ipopd at $wow_program: run make bench, or set WOW_IPOPD" >&2; return 1; }
    # Each round's pool is a new one.
    wow_pool=$(mktemp -d "$W/wow.XXXXXX")
    for n in A B; do
        mkdir "$wow_pool/$n"
        {
            printf '[node]\nstate = %s\n' "$wow_pool/$n/state"
            printf '[pool]\nname = bench\nsubnet = 10.9.128.0/20\nopen = yes\nsecret = %064d\n' 5
            [ $n = A ] || echo 'bootstrap = udp:192.0.2.1:4433'
            printf '[tap]\nname = wow%s\n[udp]\nmulticast = no\nport-mapping = no\n[control]\nsocket = %s\n' "$n" "$wow_pool/$n/control"
        } >"$wow_pool/$n/conf"
        bg ip netns exec "pb$n" "$wow_program" --config "$wow_pool/$n/conf"
    done
    for n in A B; do
        until [ -S "$wow_pool/$n/control" ]; do sleep 0.1; done
        ip netns exec "pb$n" udhcpc -f -q -n -i "wow$n" -s "$wow_bench/../udhcpc-script" -t 20 -T 1 >"$wow_pool/$n/lease" 2>>"$W/log" ||
            { echo "peer-wow.sh: no lease in pb$n; $W/log says why" >&2; return 1; }
    done
    IPB=$(sed -n 's/^ip=//p' "$wow_pool/B/lease")
}
