using Brunet;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;
using Ipop.Linux.Gateways;
using Ipop.Linux.Interfaces;
using Ipop.Linux.Polling;
using Ipop.Linux.Tcp;
using Ipopd.Configuration;
using Ipopd.Control;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.PortMapping;

/// <summary>The overlay's port as the gateways map it: finds them, asks, tells the node, gives back. All on the loop's thread.</summary>
internal sealed class OutsidePort : IDisposable
{
    private const int FirstOrdinaryPort = 1024;

    private readonly DaemonOptions _options;
    private readonly Action<TimeSpan, IReadOnlyList<TransportAddress>> _changed;
    private readonly ILogger _log;
    private readonly GatewaySockets _sockets;
    private readonly PortMapper _mapper;
    [Own("the machine's gateways and the ports that the node listens on")]
    private IReadOnlyList<MappedPort> _told = [];
    private bool _isOver;

    /// <summary>Does nothing until the first <see cref="SetWaysOut"/>.</summary>
    /// <param name="loop">The daemon's loop.</param>
    /// <param name="options">The configuration.</param>
    /// <param name="port">The overlay's UDP port.</param>
    /// <param name="tcpPorts">Its TCP ports.</param>
    /// <param name="changed">Takes the endpoints where the whole Internet reaches the port.</param>
    /// <param name="random">Cryptographically strong.</param>
    /// <param name="log">For people.</param>
    internal OutsidePort(
        PollLoop loop, DaemonOptions options, int port, IEnumerable<int> tcpPorts, Action<TimeSpan, IReadOnlyList<TransportAddress>> changed, Random random, ILogger log)
    {
        (_options, _changed, _log) = (options, changed, log);
        _sockets = new GatewaySockets(loop, OnChanged);
        var wishes = new List<MappingWish> { new(TransportProtocol.Udp, (ushort)port) };

        // One is enough, and gateways keep the privileged ones for themselves.
        wishes.AddRange(tcpPorts.Where(tcp => tcp >= FirstOrdinaryPort).Take(1).Select(tcp => new MappingWish(TransportProtocol.Tcp, (ushort)tcp)));

        // Sides that let out nothing but TCP 443 reach no other; many gateways refuse it.
        wishes.AddRange(tcpPorts.Where(tcp => tcp == TcpLinks.HttpsPort).Select(tcp => new MappingWish(TransportProtocol.Tcp, (ushort)tcp) { IsExact = true }));
        _mapper = new PortMapper(wishes, _sockets, random);
        _sockets.Serve(_mapper);
    }

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    internal TimeSpan NextTick => _mapper.NextTick;

    /// <summary>Takes the machine's default routes and addresses.</summary>
    internal void SetWaysOut(TimeSpan now, IReadOnlyList<DefaultRoute> routes, IReadOnlyList<InterfaceAddress> addresses)
    {
        IReadOnlyList<MappingGateway> gateways = GatewayFinder.Find(routes, addresses, _options.TapName);
        _mapper.SetGateways(now, gateways);
        _sockets.Keep(gateways);
    }

    /// <summary>Lets time pass.</summary>
    internal void Tick(TimeSpan now)
    {
        if (now >= _mapper.NextTick)
        {
            _mapper.Tick(now);
        }
    }

    /// <summary>What a gateway has granted, for <c>status</c>; of several the best one.</summary>
    internal PortMappingReply? Report() => _mapper.Mapped.OrderByDescending(mapped => mapped.IsPublic).Select(Describe).FirstOrDefault();

    /// <summary>Has the gateways delete what they mapped. Takes half a second at most if one of them does not answer.</summary>
    internal void GiveBack(TimeSpan now)
    {
        _isOver = true;
        _sockets.BeginEnd();
        _mapper.Release(now);
    }

    /// <inheritdoc/>
    public void Dispose() => _sockets.Dispose();

    private static PortMappingReply Describe(MappedPort mapped) => new(
        mapped.By switch
        {
            MappingMethod.Pcp => PortMappingReply.ByPcp,
            MappingMethod.NatPmp => PortMappingReply.ByNatPmp,
            _ => PortMappingReply.ByUpnp,
        },
        mapped.External.ToString(),
        mapped.IsPublic);

    private void OnChanged(TimeSpan now, IReadOnlyList<MappedPort> mapped)
    {
        if (_isOver)
        {
            return;
        }

        var usable = new List<TransportAddress>();
        foreach (MappedPort port in mapped)
        {
            if (port.IsPublic)
            {
                usable.Add(port.External);
            }

            if (!_told.Contains(port))
            {
                PortMappingReply words = Describe(port);
                if (port.IsPublic)
                {
                    _log.PortMapped(words.External, words.By);
                }
                else
                {
                    _log.PortMappedInside(words.External, words.By);
                }
            }
        }

        foreach (MappedPort port in _told)
        {
            if (!mapped.Contains(port))
            {
                _log.PortUnmapped(port.External.ToString());
            }
        }

        _told = mapped;
        _changed(now, usable);
    }
}
