using Brunet;
using Ipop.Addresses;

namespace Ipop.Dhcp;

/// <summary>
/// DHCP (RFC 2131, 2132) for one station behind the tap. DISCOVER claims nothing, unless it carries rapid commit (RFC 4039); REQUEST
/// is one atomic create in the DHT: ACK when the record stands, NAK when somebody else's does, silence when the DHT does not answer. The lease is not timed
/// here: this machine has its address as long as the node runs, and whoever serves hosts of a LAN is told of their leases.
/// </summary>
internal sealed class DhcpServer
{
    /// <summary>A request that came before the ring stood is answered late, if the client can still be waiting (RFC 2131 section 4.1).</summary>
    private static readonly TimeSpan ParkAtMost = TimeSpan.FromSeconds(30);

    /// <summary>A repetition is ignored this long while the DHT works; a claim that was given up meanwhile gets no answer at all.</summary>
    private static readonly TimeSpan PendAtMost = TimeSpan.FromSeconds(3);

    /// <summary>How often the ring is looked at while a request waits for it.</summary>
    private static readonly TimeSpan ParkedTick = TimeSpan.FromMilliseconds(100);

    /// <summary>Seconds; a client may wish for a shorter lease than the usual one, but not for less than this.</summary>
    private const uint ShortestLease = 10;

    private readonly IOverlay _overlay;
    private readonly VirtualNetworkOptions _options;
    private readonly AddressHolder _holder;
    private readonly ITapOutput _output;
    private readonly DropCounters _drops;
    private readonly DhcpConfiguration _configuration;
    private DhcpRequest? _parked;
    private TimeSpan _parkedAt;
    private DhcpRequest? _pending;
    private TimeSpan _pendingUntil;

    /// <summary>Makes a server without state of its own: who holds what is the holder's business.</summary>
    /// <param name="overlay">Tells whether the ring stands.</param>
    /// <param name="options">Pool, machine, lease.</param>
    /// <param name="holder">The station's address.</param>
    /// <param name="output">The tap.</param>
    /// <param name="drops">Counts what gets no answer.</param>
    /// <param name="hostName">The station's name of the moment, or null.</param>
    public DhcpServer(IOverlay overlay, VirtualNetworkOptions options, AddressHolder holder, ITapOutput output, DropCounters drops, Func<string?> hostName) =>
        (_overlay, _options, _holder, _output, _drops, _configuration) =
        (overlay, options, holder, output, drops, new DhcpConfiguration(options, hostName));

    /// <summary>Called with the seconds of each lease that is given or renewed.</summary>
    public Action<uint>? Leased { get; init; }

    /// <summary>When <see cref="Tick"/> has something to do; <paramref name="now"/> is the present.</summary>
    public TimeSpan NextTick(TimeSpan now) => _parked is null ? TimeSpan.MaxValue : now + ParkedTick;

    /// <summary>Answers what came before the ring stood.</summary>
    public void Tick(TimeSpan now)
    {
        if (_parked is { } parked && (_overlay.IsJoined || now - _parkedAt > ParkAtMost))
        {
            _parked = null;
            if (_overlay.IsJoined)
            {
                Take(now, parked);
            }
        }
    }

    /// <summary>Takes one message of the client; false if it is none.</summary>
    public bool Receive(TimeSpan now, ReadOnlySpan<byte> message)
    {
        if (!DhcpRequest.TryRead(message, out DhcpRequest? request))
        {
            return false;
        }

        Take(now, request!);
        return true;
    }

    /// <summary>As <see cref="Receive"/>, with a message that was read already.</summary>
    public void Take(TimeSpan now, DhcpRequest request)
    {
        if (request.Server != IPv4Address.Any && request.Server != _options.Subnet.Gateway)
        {
            // The client chose another server.
            _drops.Add(DropReason.Dhcp);
            return;
        }

        switch (request.Type)
        {
            case DhcpMessageType.Request when !_overlay.IsJoined && Named(request) == _holder.Bound:
                // What stands goes on while the machine is cut off, however long: who else took it meanwhile is found out when the two meet again.
                Reply(request, DhcpMessageType.Ack, Named(request));
                break;
            case DhcpMessageType.Request when !_overlay.IsJoined:
            case DhcpMessageType.Discover when !_overlay.IsJoined && _holder.Bound is null:
                (_parked, _parkedAt) = (request, now);
                break;
            case DhcpMessageType.Discover when Begin(now, request):
                _holder.FindOffer(now, (then, address) => Found(then, request, address));
                break;
            case DhcpMessageType.Request when Begin(now, request):
                Request(now, request);
                break;
            case DhcpMessageType.Release:
                _holder.Release(now, request.ClientAddress);
                break;
            case DhcpMessageType.Decline:
                // Some forget to say which (dhcpcd 9.4 after rapid commit): it is the one that they just got.
                _holder.Decline(now, request.Requested != IPv4Address.Any ? request.Requested : _holder.Bound ?? default);
                break;
            case DhcpMessageType.Inform when request.ClientAddress != IPv4Address.Any:
                Reply(request, DhcpMessageType.Ack, IPv4Address.Any);
                break;
            case DhcpMessageType.Offer or DhcpMessageType.Ack or DhcpMessageType.Nak or DhcpMessageType.Inform:
                // What only servers say, and a question without an address to answer to.
                _drops.Add(DropReason.Dhcp);
                break;
        }
    }

    /// <summary>Notes the request that the DHT works on; false if it is a repetition of that one.</summary>
    private bool Begin(TimeSpan now, DhcpRequest request)
    {
        if (_pending is { } pending && now < _pendingUntil && pending.Transaction == request.Transaction && pending.Type == request.Type)
        {
            _drops.Add(DropReason.Dhcp);
            return false;
        }

        (_pending, _pendingUntil) = (request, now + PendAtMost);
        return true;
    }

    /// <summary>Whether the client still waits for this answer.</summary>
    private bool End(DhcpRequest request)
    {
        if (!ReferenceEquals(_pending, request))
        {
            return false;
        }

        _pending = null;
        return true;
    }

    private void Found(TimeSpan now, DhcpRequest request, IPv4Address? address)
    {
        // While the machine is cut off no claim is answered: then the request that an offer leads to is granted as it stands.
        if (!request.IsRapid || !_overlay.IsJoined || address is not { } wanted || !ReferenceEquals(_pending, request))
        {
            Offer(request, address);
            return;
        }

        _holder.Claim(now, wanted, (then, result) =>
        {
            switch (result)
            {
                case ClaimResult.Bound when End(request):
                    Reply(request, DhcpMessageType.Ack, wanted);
                    break;
                case ClaimResult.Refused:
                    // Somebody was faster: an ordinary offer of the next one will do.
                    _holder.FindOffer(then, (_, next) => Offer(request, next));
                    break;
            }
        });
    }

    private void Offer(DhcpRequest request, IPv4Address? address)
    {
        if (End(request) && address is { } offered)
        {
            Reply(request, DhcpMessageType.Offer, offered);
        }
    }

    /// <summary>Selecting and init-reboot name the address in option 50, renewing and rebinding in ciaddr (RFC 2131 section 4.3.2).</summary>
    private static IPv4Address Named(DhcpRequest request) => request.Requested != IPv4Address.Any ? request.Requested : request.ClientAddress;

    private void Request(TimeSpan now, DhcpRequest request)
    {
        IPv4Address address = Named(request);
        _holder.Claim(now, address, (_, result) =>
        {
            if (!End(request))
            {
                return;
            }

            if (result == ClaimResult.Bound)
            {
                Reply(request, DhcpMessageType.Ack, address);
            }
            else if (result == ClaimResult.Refused)
            {
                Reply(request, DhcpMessageType.Nak, IPv4Address.Any);
            }
        });
    }

    private void Reply(DhcpRequest request, DhcpMessageType type, IPv4Address assigned)
    {
        IPv4Address server = _options.Subnet.Gateway;
        Span<byte> frame = stackalloc byte[DhcpReplyWriter.MaximumSize];
        var writer = new DhcpReplyWriter(frame, request, type, assigned, server);
        if (type != DhcpMessageType.Nak)
        {
            if (assigned != IPv4Address.Any)
            {
                uint lease = request.Lease == 0 ? _options.LeaseSeconds : Math.Clamp(request.Lease, ShortestLease, _options.LeaseSeconds);
                writer.Add(DhcpOption.LeaseTime, lease);
                writer.Add(DhcpOption.RenewalTime, lease / 2);
                writer.Add(DhcpOption.RebindingTime, (uint)(lease * 7UL / 8));
                if (type == DhcpMessageType.Ack)
                {
                    Leased?.Invoke(lease);
                }
            }

            if (request.Type == DhcpMessageType.Discover && type == DhcpMessageType.Ack)
            {
                writer.Add(DhcpOption.RapidCommit, []);
            }

            _configuration.Add(ref writer, request.Wanted);
        }

        if (request.Relay != IPv4Address.Any)
        {
            _output.WriteFrame(writer.Finish(request.Station, request.Relay, DhcpReplyWriter.ServerPort, server));
            return;
        }

        (MacAddress mac, IPv4Address destination) = Destination(request, type, assigned);
        _output.WriteFrame(writer.Finish(mac, destination, DhcpReplyWriter.ClientPort, server));
    }

    /// <summary>Where an answer goes that no relay agent carries (RFC 2131 section 4.1).</summary>
    private static (MacAddress Mac, IPv4Address Address) Destination(DhcpRequest request, DhcpMessageType type, IPv4Address assigned)
    {
        if (type == DhcpMessageType.Nak)
        {
            return (MacAddress.Broadcast, IPv4Address.Broadcast);
        }

        if (request.ClientAddress != IPv4Address.Any)
        {
            return (request.Mac, request.ClientAddress);
        }

        return request.WantsBroadcast || assigned == IPv4Address.Any
            ? (MacAddress.Broadcast, IPv4Address.Broadcast)
            : (request.Mac, assigned);
    }
}
