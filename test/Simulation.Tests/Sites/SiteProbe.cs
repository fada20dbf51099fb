using Brunet.Addressing;
using Testing.Simulation.Sites;

namespace Simulation.Tests.Sites;

/// <summary>
/// What one can see of a site from its machine and from two public ones with plain datagrams and connections, none of them a node's: what NAT detection does
/// (RFC 5780), which asks the model nothing.
/// </summary>
internal sealed class SiteProbe
{
    private const ushort Asked = 1000;
    private const ushort Other = 1001;
    private const int LongestSeconds = 600;

    private readonly SimulatedHost _one;
    private readonly SimulatedHost _two;
    private ushort _port = 5000;

    /// <param name="site">The site's machine.</param>
    /// <param name="one">A public machine.</param>
    /// <param name="two">Another one.</param>
    public SiteProbe(SimulatedHost site, SimulatedHost one, SimulatedHost two) => (Site, _one, _two) = (site, one, two);

    public SimulatedHost Site { get; }

    public TimeSpan Now { get; set; } = TimeSpan.FromSeconds(1);

    private bool IsIPv4 => Site.Addresses[0].IsIPv4;

    /// <summary>Whether datagrams come back at all.</summary>
    public bool HasUdp => Opens(out ushort port, out TransportAddress seen) && Answers(_one, Asked, seen, port);

    /// <summary>Whether it is seen under an address that is not its own.</summary>
    public bool IsTranslated => Opens(out _, out TransportAddress seen) && !Site.Addresses.Contains(SimulatedLan.Bare(seen));

    /// <summary>The address that it is seen with.</summary>
    public TransportAddress SeenAs => Opens(out _, out TransportAddress seen) ? SimulatedLan.Bare(seen) : default;

    /// <summary>Gateways on the way out, as traceroute would count them.</summary>
    public int Gateways => Site.Find(To(_one, Asked), out int gates) is null ? -1 : gates;

    /// <summary>What the port that it is seen with depends on.</summary>
    public string Mapping()
    {
        ushort port = _port++;
        TransportAddress? first = Send(Site, port, To(_one, Asked)), second = Send(Site, port, To(_one, Other)), third = Send(Site, port, To(_two, Asked));
        return first is null ? "none" : first == second && first == third ? "independent" : first == second ? "address" : "address-and-port";
    }

    /// <summary>Whose datagrams come in to a port that only one endpoint was sent to from.</summary>
    public string Filtering() => !Opens(out ushort port, out TransportAddress seen) ? "all"
        : Answers(_two, Asked, seen, port) ? "none"
        : Answers(_one, Other, seen, port) ? "address"
        : "address-and-port";

    /// <summary>Which ports it is seen with, if it sends from one after the other.</summary>
    public string Ports()
    {
        var steps = new HashSet<int>();
        bool areKept = true;
        int last = -1;
        for (int i = 0; i < 6; i++)
        {
            Opens(out ushort port, out TransportAddress seen);
            areKept &= seen.Port == port;
            if (last >= 0)
            {
                steps.Add(seen.Port - last);
            }

            last = seen.Port;
        }

        return areKept ? "kept" : steps.SetEquals([1]) ? "sequential" : "random";
    }

    /// <summary>For how many seconds without traffic an answer still comes in; null: for ten minutes at least.</summary>
    public int? Lasts()
    {
        for (int seconds = 1; seconds <= LongestSeconds; seconds++)
        {
            Opens(out ushort port, out TransportAddress seen);
            Now += TimeSpan.FromSeconds(seconds);
            if (!Answers(_one, Asked, seen, port))
            {
                return seconds;
            }
        }

        return null;
    }

    /// <summary>Whether a port that is used all the time is another one outside within some time.</summary>
    public bool Moves(TimeSpan time)
    {
        ushort port = _port++;
        TransportAddress? first = Send(Site, port, To(_one, Asked));
        for (TimeSpan end = Now + time; Now < end; Now += TimeSpan.FromSeconds(5))
        {
            if (Send(Site, port, To(_one, Asked)) != first)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether it can connect to a TCP port outside.</summary>
    public bool Connects(ushort port) => Send(Site, _port++, To(_one, port) with { Protocol = TransportProtocol.Tcp }) is not null;

    /// <summary>Whether a stranger can connect to its TCP port 443.</summary>
    public bool IsConnectedTo => Site.Addresses.Any(address =>
        Gets(_two, _port++, address with { Port = 443, Protocol = TransportProtocol.Tcp }) is { } got && got.Host == Site);

    /// <summary>Whether it has a way to IPv4.</summary>
    public bool ReachesIPv4 => Send(Site, _port++, _one.Addresses[0] with { Port = Asked }) is not null;

    /// <summary>Whether a stranger's datagram comes in to an endpoint, and to which port.</summary>
    public ushort? StrangerReaches(TransportAddress endpoint) => Gets(_two, _port++, endpoint) is { } got && got.Host == Site ? got.Port : null;

    /// <summary>Whether two machines reach each other by the endpoints that the world sees them with, when both send.</summary>
    public static bool MeetOutside(SiteProbe one, SiteProbe other)
    {
        one.Opens(out ushort near, out TransportAddress nearSeen);
        other.Opens(out ushort far, out TransportAddress farSeen);
        one.Gets(one.Site, near, farSeen);
        bool isThere = other.Gets(other.Site, far, nearSeen) is { } got && got.Host == one.Site && got.Port == near;
        return isThere && one.Gets(one.Site, near, farSeen) is { } back && back.Host == other.Site && back.Port == far;
    }

    /// <summary>Who gets a datagram to the other one's own address.</summary>
    public SimulatedHost? WhoIsAt(SimulatedHost other) => Gets(Site, _port++, other.Addresses[0] with { Port = Asked })?.Host;

    private TransportAddress To(SimulatedHost host, ushort port) => host.Addresses[IsIPv4 ? 0 : 1] with { Port = port };

    private bool Opens(out ushort port, out TransportAddress seen)
    {
        port = _port++;
        TransportAddress? found = Send(Site, port, To(_one, Asked));
        seen = found ?? default;
        return found is not null;
    }

    private bool Answers(SimulatedHost from, ushort fromPort, TransportAddress seen, ushort port) =>
        Gets(from, fromPort, seen) is { } got && got.Host == Site && got.Port == port;

    /// <summary>As what the receiver sees a datagram or a connection; null if it does not arrive.</summary>
    private TransportAddress? Send(SimulatedHost from, ushort port, TransportAddress destination) => Gets(from, port, destination)?.Source;

    private (SimulatedHost Host, ushort Port, TransportAddress Source)? Gets(SimulatedHost from, ushort port, TransportAddress destination) =>
        from.Find(destination, out int gates) is { } station && from.Leave(Now, port, destination, gates, out TransportAddress source)
        && station.Enter(Now, source, destination, out TransportAddress inside) is { } host ? (host, inside.Port, source) : null;
}
