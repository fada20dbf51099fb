using Brunet.Addressing;
using static Brunet.Moment;

namespace Brunet.Nat.PortMapping;

/// <summary>
/// Has ports of this machine mapped by its gateways, by whatever they speak. A pure machine; not thread-safe. What is granted is a candidate
/// beside the addresses that peers reflect, and never more than that: a path is what a sealed ping proves.
/// </summary>
public sealed class PortMapper
{
    private const int MostGateways = 4;

    /// <summary>
    /// Mappings that lead from elsewhere now are told once each in this time: a gateway may say so unasked (RFC 6887 section 14.2), and with each telling all
    /// peers are punched anew.
    /// </summary>
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);

    /// <summary>The gateways' port, RFC 6887 section 19.1 and RFC 6886.</summary>
    public const ushort Port = 5351;

    /// <summary>Longest HTTP reply of a gateway that is of use, in bytes.</summary>
    public const int LongestReply = HttpReply.Longest;

    private readonly IReadOnlyList<MappingWish> _wishes;
    private readonly IPortMapperOutput _output;
    private readonly Random _random;

    [Own("the machine's gateways")]
    private readonly List<GatewayMapper> _gateways = [];

    [Own("the machine's gateways and the ports that the node listens on")]
    private List<MappedPort> _mapped = [];

    private TimeSpan _pauseEnds;
    private int _moves;
    private bool _isHeldBack;

    /// <summary>Makes a mapper that knows no gateway yet.</summary>
    /// <param name="wishes">The ports, the most important first; at least one.</param>
    /// <param name="output">The world.</param>
    /// <param name="random">Chance; cryptographically strong in the daemon, since PCP's nonces keep others from changing a mapping.</param>
    public PortMapper(IReadOnlyList<MappingWish> wishes, IPortMapperOutput output, Random random)
    {
        ArgumentNullException.ThrowIfNull(wishes);
        ArgumentOutOfRangeException.ThrowIfZero(wishes.Count);
        (_wishes, _output, _random) = (wishes, output, random);
    }

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    public TimeSpan NextTick
    {
        get
        {
            TimeSpan next = _isHeldBack ? _pauseEnds : TimeSpan.MaxValue;
            foreach (GatewayMapper gateway in _gateways)
            {
                next = Earlier(gateway.Next, next);
            }

            return next;
        }
    }

    /// <summary>What is mapped, as it was told last.</summary>
    public IReadOnlyList<MappedPort> Mapped => _mapped;

    /// <summary>Whether these bytes are a whole HTTP reply already, though the connection still stands.</summary>
    public static bool IsWholeReply(ReadOnlyMemory<byte> bytes) => HttpReply.IsWhole(bytes);

    /// <summary>Tells which gateways there are. New ones are asked at once; those that are as before are left alone.</summary>
    public void SetGateways(TimeSpan now, IReadOnlyList<MappingGateway> gateways)
    {
        ArgumentNullException.ThrowIfNull(gateways);
        for (int index = _gateways.Count - 1; index >= 0; index--)
        {
            if (!gateways.Contains(_gateways[index].Gateway))
            {
                _gateways[index].Release(now);
                _gateways.RemoveAt(index);
            }
        }

        foreach (MappingGateway gateway in gateways)
        {
            if (_gateways.Count < MostGateways && !_gateways.Exists(known => known.Gateway == gateway))
            {
                var mapper = new GatewayMapper(gateway, _wishes, _output, _random, Tick);
                _gateways.Add(mapper);
                mapper.Start(now);
            }
        }

        Tick(now);
    }

    /// <summary>Lets time pass. Call at <see cref="NextTick"/> or a little later.</summary>
    public void Tick(TimeSpan now)
    {
        foreach (GatewayMapper gateway in _gateways)
        {
            if (now >= gateway.Next)
            {
                gateway.Tick(now);
            }
        }

        Tell(now);
    }

    /// <summary>Takes a datagram that came to the socket which asks this gateway. What is not from its port 5351 is dropped.</summary>
    public void ReceiveAnswer(TimeSpan now, MappingGateway gateway, TransportAddress source, ReadOnlySpan<byte> datagram)
    {
        ArgumentNullException.ThrowIfNull(gateway);
        if (gateway.Is(source) && source.Port == Port && Find(gateway) is { } mapper)
        {
            mapper.ReceiveAnswer(now, datagram);
            Tell(now);
        }
    }

    /// <summary>
    /// Takes a datagram that came to the group where gateways announce themselves. Anybody on this network can write the gateway's address there without knowing which
    /// port asks: so it answers no question, and says no more than that the gateway may have begun anew.
    /// </summary>
    public void ReceiveAnnouncement(TimeSpan now, MappingGateway gateway, TransportAddress source, ReadOnlySpan<byte> datagram)
    {
        ArgumentNullException.ThrowIfNull(gateway);
        if (gateway.Is(source) && source.Port == Port)
        {
            Find(gateway)?.ReceiveAnnouncement(now, datagram);
        }
    }

    /// <summary>The gateway's host says, by ICMP, that nobody listens on its port 5351.</summary>
    public void NobodyThere(TimeSpan now, MappingGateway gateway)
    {
        ArgumentNullException.ThrowIfNull(gateway);
        Find(gateway)?.NobodyThere(now);
        Tell(now);
    }

    /// <summary>Takes a datagram that came to the socket which searches this gateway's network. Other devices are not listened to.</summary>
    public void ReceiveSearchAnswer(TimeSpan now, MappingGateway gateway, TransportAddress source, ReadOnlySpan<byte> datagram)
    {
        ArgumentNullException.ThrowIfNull(gateway);
        if (gateway.Is(source))
        {
            Find(gateway)?.ReceiveSearchAnswer(now, datagram);
        }
    }

    /// <summary>Deletes every mapping, for an orderly stop.</summary>
    public void Release(TimeSpan now)
    {
        foreach (GatewayMapper gateway in _gateways)
        {
            gateway.Release(now);
        }

        _gateways.Clear();
        Tell(now);
    }

    private GatewayMapper? Find(MappingGateway gateway) => _gateways.Find(known => known.Gateway == gateway);

    private void Tell(TimeSpan now)
    {
        var mapped = new List<MappedPort>();
        foreach (GatewayMapper gateway in _gateways)
        {
            gateway.AddTo(now, mapped);
        }

        bool isOther = !mapped.SequenceEqual(_mapped);
        _isHeldBack = isOther && HasMoved(mapped) && !MayMove(now);
        if (isOther && !_isHeldBack)
        {
            _mapped = mapped;
            _output.MappingsChanged(now, mapped);
        }
    }

    /// <summary>Whether a mapping has become another, and not only some have come or gone.</summary>
    private bool HasMoved(List<MappedPort> mapped) => mapped.Exists(port => !_mapped.Contains(port)) && _mapped.Exists(port => !mapped.Contains(port));

    private bool MayMove(TimeSpan now)
    {
        if (now >= _pauseEnds)
        {
            (_pauseEnds, _moves) = (now + Pause, _wishes.Count);
        }

        return _moves-- > 0;
    }
}
