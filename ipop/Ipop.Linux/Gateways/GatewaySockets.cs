using System.Net;
using System.Net.Sockets;
using Brunet;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;

namespace Ipop.Linux.Gateways;

/// <summary>
/// The port mapper's way to its gateways. Sockets are opened when first something is sent and closed with their gateway; all of it runs on the
/// loop's thread but for the HTTP exchanges, which there are only once a gateway has answered a search.
/// </summary>
/// <param name="loop">The daemon's loop.</param>
/// <param name="changed">Called when mappings change.</param>
public sealed class GatewaySockets(PollLoop loop, Action<TimeSpan, IReadOnlyList<MappedPort>> changed) : IPortMapperOutput, IDisposable
{
    /// <summary>Where gateways announce that they are there (anew), to 224.0.0.1: RFC 6887 section 14.1.3, RFC 6886 section 3.2.1.</summary>
    private const int AnnouncementPort = 5350;

    private const int SearchPort = 1900;
    private const int LongestDatagram = 2048;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan PatienceAtEnd = TimeSpan.FromMilliseconds(500);

    [Own("one for each default gateway of the machine's own routes")]
    private readonly List<Channel> _channels = [];

    private readonly byte[] _buffer = new byte[LongestDatagram];
    private Socket? _announcements;
    private PortMapper? _mapper;
    private bool _isEnding;

    /// <summary>Makes a socket; throws a SocketException if there is none left.</summary>
    internal Func<AddressFamily, SocketType, Socket> Make { get; init; } = (family, type) => new Socket(family, type, ProtocolType.Unspecified);

    private delegate void Receiver(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagram);

    /// <summary>Says who takes what comes in.</summary>
    public void Serve(PortMapper mapper) => _mapper = mapper;

    /// <summary>Closes the sockets of other gateways than these.</summary>
    public void Keep(IReadOnlyList<MappingGateway> gateways)
    {
        ArgumentNullException.ThrowIfNull(gateways);
        for (int index = _channels.Count - 1; index >= 0; index--)
        {
            if (!gateways.Contains(_channels[index].Gateway))
            {
                Close(_channels[index].Ask);
                Close(_channels[index].Search);
                _channels.RemoveAt(index);
            }
        }
    }

    /// <summary>From now on exchanges block, shortly: there is no loop any more to bring their end.</summary>
    public void BeginEnd() => _isEnding = true;

    /// <inheritdoc/>
    public void Ask(MappingGateway gateway, ReadOnlySpan<byte> datagram)
    {
        ArgumentNullException.ThrowIfNull(gateway);
        OpenAnnouncements();
        Channel channel = Find(gateway);
        var destination = new IPEndPoint(Address(gateway), PortMapper.Port);
        channel.Ask ??= Open(
            gateway, (now, source, bytes) => _mapper?.ReceiveAnswer(now, gateway, source, bytes), destination, now => _mapper?.NobodyThere(now, gateway));
        Send(channel.Ask, destination, datagram);
    }

    /// <inheritdoc/>
    public void Search(MappingGateway gateway, ReadOnlySpan<byte> datagram)
    {
        ArgumentNullException.ThrowIfNull(gateway);
        Channel channel = Find(gateway);
        channel.Search ??= Open(gateway, (now, source, bytes) => _mapper?.ReceiveSearchAnswer(now, gateway, source, bytes));
        Send(channel.Search, new IPEndPoint(new IPAddress([239, 255, 255, 250]), SearchPort), datagram);
    }

    /// <inheritdoc/>
    public void Exchange(MappingGateway gateway, ushort port, ReadOnlyMemory<byte> request, Action<TimeSpan, ReadOnlyMemory<byte>> done)
    {
        ArgumentNullException.ThrowIfNull(gateway);
        ArgumentNullException.ThrowIfNull(done);
        IPAddress local = gateway.Local.ToIPEndPoint().Address;
        var remote = new IPEndPoint(Address(gateway), port);
        ReadOnlyMemory<byte> Run(TimeSpan patience) => HttpExchange.Run(local, remote, request, patience, () => Make(remote.AddressFamily, SocketType.Stream));
        if (_isEnding)
        {
            done(BootClock.Now, Run(PatienceAtEnd));
            return;
        }

        _ = Task.Run(() =>
        {
            // Whatever happens: who waits for an exchange begins no other.
            ReadOnlyMemory<byte> reply = default;
            try
            {
                reply = Run(Patience);
            }
            finally
            {
                loop.Post(now => done(now, reply));
            }
        });
    }

    /// <inheritdoc/>
    public void MappingsChanged(TimeSpan now, IReadOnlyList<MappedPort> mappings) => changed(now, mappings);

    /// <inheritdoc/>
    public void Dispose()
    {
        Keep([]);
        Close(_announcements);
    }

    private static IPAddress Address(MappingGateway gateway)
    {
        IPAddress address = gateway.Address.ToIPEndPoint().Address;
        if (address.IsIPv6LinkLocal)
        {
            address.ScopeId = gateway.Link;
        }

        return address;
    }

    private static void Send(Socket? socket, IPEndPoint destination, ReadOnlySpan<byte> datagram)
    {
        try
        {
            socket?.SendTo(datagram, SocketFlags.None, destination);
        }
        catch (SocketException)
        {
            // No route, or a firewall: lost, as on a wire. It is sent again, and in the end given up.
        }
    }

    private Channel Find(MappingGateway gateway)
    {
        Channel? channel = _channels.Find(known => known.Gateway == gateway);
        if (channel is null)
        {
            _channels.Add(channel = new Channel(gateway));
        }

        return channel;
    }

    /// <summary>Opens a socket at our address towards the gateway; null if that address has gone.</summary>
    /// <param name="gateway">The gateway.</param>
    /// <param name="receiver">Takes what comes.</param>
    /// <param name="only">Whom alone to talk to, so that the kernel hands on ICMP's word that nobody listens there; null for anybody.</param>
    /// <param name="refused">Hears that word.</param>
    private Socket? Open(MappingGateway gateway, Receiver receiver, IPEndPoint? only = null, Action<TimeSpan>? refused = null)
    {
        IPAddress local = gateway.Local.ToIPEndPoint().Address;
        if (Create(local.AddressFamily) is not { } socket)
        {
            return null;
        }

        try
        {
            SocketMark.Set(socket);
            socket.Bind(new IPEndPoint(local, 0));
            if (local.AddressFamily == AddressFamily.InterNetwork)
            {
                socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastInterface, local.GetAddressBytes());
                socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastTimeToLive, 2);
            }

            if (only is not null)
            {
                socket.Connect(only);
            }
        }
        catch (SocketException)
        {
            socket.Dispose();
            return null;
        }

        return Watch(socket, receiver, refused) ? socket : null;
    }

    /// <summary>Listens to announcements, together with whoever else does on this machine. Without them a loss shows at the next renewal.</summary>
    private void OpenAnnouncements()
    {
        if (_announcements is not null)
        {
            return;
        }

        _announcements = Create(AddressFamily.InterNetwork);
        if (_announcements is null)
        {
            return;
        }

        try
        {
            SocketMark.Set(_announcements);
            _announcements.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
            _announcements.Bind(new IPEndPoint(new IPAddress([224, 0, 0, 1]), AnnouncementPort));
        }
        catch (SocketException)
        {
            return;
        }

        bool isWatched = Watch(_announcements, (now, source, datagram) =>
        {
            foreach (Channel channel in _channels)
            {
                _mapper?.ReceiveAnnouncement(now, channel.Gateway, source, datagram);
            }
        });
        _announcements = isWatched ? _announcements : null;
    }

    /// <summary>A socket; null if the machine has no more descriptors or no such addresses: it is asked for again with the next search.</summary>
    private Socket? Create(AddressFamily family)
    {
        try
        {
            Socket socket = Make(family, SocketType.Dgram);
            socket.Blocking = false;
            return socket;
        }
        catch (SocketException exception)
        {
            if (Shortages.IsOne(exception))
            {
                loop.Shortages.Note(BootClock.Now);
            }

            return null;
        }
    }

    /// <summary>False if the kernel lacks memory to watch the socket, which is closed then: it would never be heard.</summary>
    private bool Watch(Socket socket, Receiver receiver, Action<TimeSpan>? refused = null)
    {
        try
        {
            loop.Add((int)socket.Handle, now => Receive(now, socket, receiver, refused));
            return true;
        }
        catch (IOException)
        {
            socket.Dispose();
            loop.Shortages.Note(BootClock.Now);
            return false;
        }
    }

    private void Receive(TimeSpan now, Socket socket, Receiver receiver, Action<TimeSpan>? refused)
    {
        EndPoint source = new IPEndPoint(socket.AddressFamily == AddressFamily.InterNetwork ? IPAddress.Any : IPAddress.IPv6Any, 0);
        int length;
        try
        {
            length = socket.ReceiveFrom(_buffer, ref source);
        }
        catch (SocketException exception)
        {
            // Else a damaged datagram, or one that is too long: none.
            if (exception.SocketErrorCode == SocketError.ConnectionRefused)
            {
                refused?.Invoke(now);
            }

            return;
        }

        receiver(now, TransportAddress.From((IPEndPoint)source), _buffer.AsSpan(0, length));
    }

    private void Close(Socket? socket)
    {
        if (socket is not null)
        {
            loop.Remove((int)socket.Handle);
            socket.Dispose();
        }
    }

    private sealed class Channel(MappingGateway gateway)
    {
        public MappingGateway Gateway { get; } = gateway;

        public Socket? Ask { get; set; }

        public Socket? Search { get; set; }
    }
}
