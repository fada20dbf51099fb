using System.Net;
using System.Net.Sockets;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;
using Ipop.Linux.Gateways;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Gateways;

/// <summary>Gateways on the loopback, whose addresses nobody else uses; the mapper's time runs ahead of the machine's.</summary>
public sealed class GatewaySocketsTests : IDisposable
{
    private const uint Loopback = 0x7f000001;

    /// <summary>Far less than the mapper lets pass before it asks again.</summary>
    private static readonly TimeSpan ForIcmp = TimeSpan.FromMilliseconds(200);

    private readonly PollLoop _loop = new();
    private readonly GatewaySockets _sockets;
    private readonly Counting _output;
    private readonly PortMapper _mapper;

    public GatewaySocketsTests()
    {
        _sockets = new GatewaySockets(_loop, (_, _) => { });
        _output = new Counting(_sockets);
        _mapper = new PortMapper([new MappingWish(TransportProtocol.Udp, 4433)], _output, new Random(1));
        _sockets.Serve(_mapper);
    }

    /// <summary>RFC 1122 section 4.1.3.3: the kernel must tell; RFC 6886 section 3.1 has a client listen to it.</summary>
    [Fact]
    public void A_gateway_whose_kernel_says_that_nobody_listens_is_asked_no_more()
    {
        Begin(0x7f574f01);
        Minute();
        Assert.Equal(1, _output.Asked);
    }

    [Fact]
    public void A_gateway_that_takes_the_question_and_says_nothing_is_asked_again()
    {
        using var silent = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        silent.Bind(new IPEndPoint(new IPAddress([0x7f, 0x57, 0x4f, 2]), PortMapper.Port));
        Begin(0x7f574f02);
        Minute();
        Assert.InRange(_output.Asked, 2, 10);
        Assert.True(silent.Available > 0);
    }

    /// <summary>The kernel watches nothing twice; else it refuses where it is short of memory.</summary>
    [Fact]
    public void A_socket_that_can_not_be_watched_is_closed()
    {
        Socket? made = null;
        using var sockets = new GatewaySockets(_loop, (_, _) => { })
        {
            Make = (family, type) =>
            {
                made = new Socket(family, type, ProtocolType.Unspecified);
                _loop.Add((int)made.Handle, _ => { });
                return made;
            },
        };
        sockets.Search(Gateway(0x7f574f03), [1]);
        Assert.Equal(1, _loop.Shortages.Count);
        Assert.True(made!.SafeHandle.IsClosed);
    }

    /// <summary>Who waits for one begins no other.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_exchange_for_which_there_is_no_socket_ends_without_a_reply(bool isEnding)
    {
        using var sockets = new GatewaySockets(_loop, (_, _) => { }) { Make = (_, _) => throw new SocketException((int)SocketError.TooManyOpenSockets) };
        if (isEnding)
        {
            sockets.BeginEnd();
        }

        int? length = null;
        TimeSpan limit = BootClock.Now + TimeSpan.FromSeconds(30);
        sockets.Exchange(Gateway(0x7f574f03), 80, default, (_, reply) => length = reply.Length);
        _loop.Run(() => length is null ? limit : TimeSpan.Zero, now =>
        {
            if (length is not null || now >= limit)
            {
                _loop.Stop();
            }
        });
        Assert.Equal(0, length);
    }

    public void Dispose()
    {
        _sockets.Dispose();
        _loop.Dispose();
    }

    private static MappingGateway Gateway(uint address) => new(TransportAddress.FromIPv4(address, 0), TransportAddress.FromIPv4(Loopback, 0), 1);

    private void Begin(uint gateway)
    {
        TimeSpan now = BootClock.Now;
        _mapper.SetGateways(now, [Gateway(gateway)]);
        _mapper.Tick(now);
        Assert.Equal(1, _output.Asked);
        _loop.Run(() => now + ForIcmp, later =>
        {
            if (later >= now + ForIcmp)
            {
                _loop.Stop();
            }
        });
    }

    /// <summary>Lets a minute of the mapper's time pass, in which nothing comes.</summary>
    private void Minute()
    {
        TimeSpan now = BootClock.Now;
        for (TimeSpan end = now + TimeSpan.FromMinutes(1); now < end; now += TimeSpan.FromMilliseconds(50))
        {
            _mapper.Tick(now);
        }
    }

    /// <summary>Hands everything on, and counts the questions.</summary>
    private sealed class Counting(GatewaySockets sockets) : IPortMapperOutput
    {
        public int Asked { get; private set; }

        public void Ask(MappingGateway gateway, ReadOnlySpan<byte> datagram)
        {
            Asked++;
            sockets.Ask(gateway, datagram);
        }

        public void Search(MappingGateway gateway, ReadOnlySpan<byte> datagram) => sockets.Search(gateway, datagram);

        public void Exchange(MappingGateway gateway, ushort port, ReadOnlyMemory<byte> request, Action<TimeSpan, ReadOnlyMemory<byte>> done) =>
            sockets.Exchange(gateway, port, request, done);

        public void MappingsChanged(TimeSpan now, IReadOnlyList<MappedPort> mappings) => sockets.MappingsChanged(now, mappings);
    }
}
