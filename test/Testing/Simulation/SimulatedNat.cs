using Brunet.Addressing;
using Testing.Simulation.Sites;

namespace Testing.Simulation;

/// <summary>How a site reaches the world (RFC 4787).</summary>
public enum NatKind
{
    /// <summary>A public address, nothing filtered.</summary>
    None,

    /// <summary>Endpoint-independent mapping and filtering.</summary>
    FullCone,

    /// <summary>Endpoint-independent mapping, address-dependent filtering.</summary>
    AddressRestricted,

    /// <summary>Endpoint-independent mapping, address- and port-dependent filtering.</summary>
    PortRestricted,

    /// <summary>A new port by chance for each destination, address- and port-dependent filtering.</summary>
    Symmetric,

    /// <summary>The next free port for each destination, address- and port-dependent filtering.</summary>
    SymmetricSequential,

    /// <summary>No UDP at all; TCP outwards.</summary>
    UdpBlocked,

    /// <summary>A public address, address- and port-dependent filtering.</summary>
    Firewall,
}

/// <summary>The state of one NAT or firewall: which endpoints inside are seen as which outside, and who may send there.</summary>
/// <param name="kind">How it maps and filters.</param>
/// <param name="outside">Its address outside; a firewall's hosts keep their own.</param>
/// <param name="random">Chance.</param>
internal sealed class SimulatedNat(NatKind kind, TransportAddress outside, Random random)
{
    private const ushort FirstOfSequence = 30000;
    private const int LengthOfSequence = 30000;

    /// <summary>Ports that are looked at for a free one; if none is, another mapping goes.</summary>
    private const int MostTries = 100;
    private const int LowestByChance = 20000;
    private const int EndByChance = 60000;

    private readonly Dictionary<(TransportAddress Inside, TransportAddress Destination), TransportAddress> _mapped = [];
    private readonly Dictionary<TransportAddress, (TransportAddress Inside, TimeSpan Used)> _mappings = [];
    private readonly Dictionary<(TransportAddress Outside, TransportAddress Remote), TimeSpan> _opened = [];
    private readonly Dictionary<TransportAddress, TransportAddress> _connections = [];
    private readonly Dictionary<TransportAddress, (TransportAddress Inside, TimeSpan Until)> _forwards = [];

    /// <summary>Flows from inside to a port of its own that led nowhere when they began, and when it last saw each.</summary>
    private readonly Dictionary<(TransportAddress Source, TransportAddress Destination), TimeSpan> _refused = [];
    private ushort _offset;
    private ushort _next;
    private long _forgotten;

    /// <summary>How long an opening stays without traffic from inside: home routers do 30 s.</summary>
    public TimeSpan Lifetime { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Whether it treats what comes from inside to its own outside address as Linux does: all that finds a port open gets in, and what finds none is refused from then on, both
    /// ways, until nothing of it has come for as long as an opening stays.
    /// </summary>
    public bool HoldsRefusals { get; set; }

    /// <summary>How often it loses all state and moves, as <see cref="Forget"/> does, by itself; null: never.</summary>
    public TimeSpan? ForgetsEvery { get; set; }

    /// <summary>A host for which it takes another port than for all others, as Linux's does where that host spoke to the port first; default: none.</summary>
    public TransportAddress Apart { get; set; }

    /// <summary>Whether anybody may connect to the host by TCP.</summary>
    public bool IsPublic => kind == NatKind.None;

    /// <summary>Whether hosts have another address outside than inside.</summary>
    public bool Translates => kind is not (NatKind.None or NatKind.Firewall);

    /// <summary>Whether somebody who connects to a port that nobody opened is told so, as RFC 5382 section 4.3 forbids; else he hears nothing.</summary>
    public bool RefusesStrangers { get; set; }

    /// <summary>Whether all connections of one port of the host come from one port outside.</summary>
    public bool HasOneTcpPort { get; set; } = kind is not (NatKind.Symmetric or NatKind.SymmetricSequential);

    /// <summary>Whether datagrams pass outwards.</summary>
    public bool HasUdp { get; set; } = kind != NatKind.UdpBlocked;

    private bool IsSymmetric => kind is NatKind.Symmetric or NatKind.SymmetricSequential;

    /// <summary>Source of a datagram as the world sees it; opens the way back.</summary>
    public TransportAddress Outbound(TimeSpan now, TransportAddress inside, TransportAddress destination)
    {
        ForgetIfTime(now);
        if (kind == NatKind.None && _offset == 0)
        {
            return inside;
        }

        bool isApart = destination with { Port = 0 } == Apart;
        (TransportAddress, TransportAddress) key = (inside, IsSymmetric || isApart ? destination : default);
        if (!_mapped.TryGetValue(key, out TransportAddress seen) || !_mappings.TryGetValue(seen, out (TransportAddress Inside, TimeSpan Used) mapping)
            || mapping.Inside != inside || (kind != NatKind.None && now - mapping.Used >= Lifetime))
        {
            seen = isApart ? outside with { Port = ByChance() } : NewEndpoint(now, inside);
            _mapped[key] = seen;
        }

        _mappings[seen] = (inside, now);
        _opened[(seen, destination)] = now;
        if (kind == NatKind.AddressRestricted)
        {
            _opened[(seen, destination with { Port = 0 })] = now;
        }

        return seen;
    }

    /// <summary>From where a connection seems to come.</summary>
    public TransportAddress OutboundTcp(TransportAddress inside)
    {
        if (!Translates)
        {
            return inside;
        }

        TransportAddress seen = outside with { Port = HasOneTcpPort ? inside.Port : ByChance(), Protocol = TransportProtocol.TcpMet };
        while (HasOneTcpPort && _connections.TryGetValue(seen, out TransportAddress holder) && holder != inside)
        {
            seen = seen with { Port = (ushort)(seen.Port + 1) };
        }

        _connections[seen] = inside;
        return seen;
    }

    /// <summary>Whether a datagram to an endpoint outside gets through, and to which one inside.</summary>
    public bool Admits(TimeSpan now, TransportAddress source, TransportAddress destination, out TransportAddress inside)
    {
        ForgetIfTime(now);
        if (_forwards.TryGetValue(destination, out (TransportAddress Inside, TimeSpan Until) forward) && now < forward.Until)
        {
            // What answers it comes from where it went to.
            inside = forward.Inside;
            _mapped[(inside, IsSymmetric ? source : default)] = destination;
            _mappings[destination] = (inside, now);
            return true;
        }

        bool isMapped = _mappings.TryGetValue(destination, out (TransportAddress Inside, TimeSpan Used) mapping);
        inside = isMapped ? mapping.Inside : destination;
        if (HoldsRefusals && SimulatedLan.Bare(source) == outside)
        {
            return !IsRefused(now, source, destination, isMapped && now - mapping.Used < Lifetime);
        }

        return kind switch
        {
            NatKind.None => true,
            _ when !HasUdp || !isMapped => false,
            NatKind.FullCone => now - mapping.Used < Lifetime,
            NatKind.AddressRestricted => IsOpen(now, destination, source with { Port = 0 }),
            _ => IsOpen(now, destination, source),
        };
    }

    /// <summary>Which endpoint inside takes connections to one outside; null if none does.</summary>
    public TransportAddress? Listener(TimeSpan now, TransportAddress destination) => kind == NatKind.None ? destination
        : _forwards.TryGetValue(destination, out (TransportAddress Inside, TimeSpan Until) forward) && now < forward.Until ? forward.Inside
        : null;

    /// <summary>Which endpoint inside made connections that come from one outside; null if none did.</summary>
    public TransportAddress? Caller(TransportAddress seen) =>
        !Translates ? seen : _connections.TryGetValue(seen, out TransportAddress inside) ? inside : null;

    /// <summary>Leads an endpoint outside to one inside for some time, whoever sends there.</summary>
    /// <returns>False if it belongs to another machine inside.</returns>
    public bool Forward(TimeSpan now, TransportAddress seen, TransportAddress inside, TimeSpan life)
    {
        ForgetIfTime(now);
        bool isOthers = (_forwards.TryGetValue(seen, out (TransportAddress Inside, TimeSpan Until) forward) && forward.Inside != inside && now < forward.Until)
            || IsTaken(now, seen, inside);
        if (!isOthers)
        {
            _forwards[seen] = (inside, now + life);
        }

        return !isOthers;
    }

    /// <summary>Loses all state, as a power cut does; with another port for the host from then on if it moves.</summary>
    public void Forget(bool moves)
    {
        _mapped.Clear();
        _mappings.Clear();
        _opened.Clear();
        _forwards.Clear();
        _refused.Clear();
        _offset += moves ? (ushort)1 : (ushort)0;
    }

    private void ForgetIfTime(TimeSpan now)
    {
        if (ForgetsEvery is { } every && now.Ticks / every.Ticks is var times && times != _forgotten)
        {
            _forgotten = times;
            Forget(moves: true);
        }
    }

    private bool IsRefused(TimeSpan now, TransportAddress source, TransportAddress destination, bool isMapped)
    {
        bool IsHeld(TransportAddress from, TransportAddress to) => _refused.TryGetValue((from, to), out TimeSpan last) && now - last < Lifetime;
        if (!isMapped || IsHeld(source, destination))
        {
            _refused[(source, destination)] = now;
            return true;
        }

        return IsHeld(destination, source);
    }

    private bool IsOpen(TimeSpan now, TransportAddress seen, TransportAddress remote) =>
        _opened.TryGetValue((seen, remote), out TimeSpan last) && now - last < Lifetime;

    private bool IsTaken(TimeSpan now, TransportAddress seen, TransportAddress inside) =>
        _mappings.TryGetValue(seen, out (TransportAddress Inside, TimeSpan Used) mapping) && mapping.Inside != inside && now - mapping.Used < Lifetime;

    private ushort ByChance() => (ushort)random.Next(LowestByChance, EndByChance);

    private TransportAddress NewEndpoint(TimeSpan now, TransportAddress inside)
    {
        TransportAddress seen = NewEndpoint(inside);
        for (int i = 0; i < MostTries && IsTaken(now, seen, inside); i++)
        {
            seen = IsSymmetric ? NewEndpoint(inside) : seen with { Port = (ushort)(seen.Port + 1) };
        }

        return seen;
    }

    private TransportAddress NewEndpoint(TransportAddress inside) => kind switch
    {
        NatKind.Symmetric => outside with { Port = ByChance() },
        NatKind.SymmetricSequential => outside with { Port = (ushort)(FirstOfSequence + (_next++ % LengthOfSequence)) },
        NatKind.Firewall => inside,
        NatKind.None => inside with { Port = (ushort)(inside.Port + _offset) },
        _ => outside with { Port = (ushort)(inside.Port + _offset) },
    };
}
