using System.Globalization;
using System.Net;
using Brunet.Addressing;

namespace Brunet.Nat.PortMapping;

/// <summary>
/// Asks one IPv4 gateway by UPnP: SSDP search, description, outside address, then one call a port, all one after the other. What fails at
/// any step is begun again from the search, ever rarer. A renewal is the same call again.
/// </summary>
internal sealed class UpnpClient : IMappingClient
{
    /// <summary>Wanted life of a mapping. Short, since nothing tells when a gateway has lost its table.</summary>
    private const uint Seconds = 600;

    private const int MostConflicts = 4;

    /// <summary>Searches of a round, of two datagrams each.</summary>
    private const int MostSearches = 2;

    private const string Description = "WOW overlay";

    /// <summary>Devices take up to a second (MX) for an answer.</summary>
    private static readonly TimeSpan FirstRepeat = TimeSpan.FromSeconds(3);

    private readonly MappingGateway _gateway;
    private readonly IPortMapperOutput _output;
    private readonly Random _random;
    private readonly AskSchedule _schedule;

    [Own("the ports that the node listens on")]
    private readonly List<Lease> _leases = [];

    private readonly Action<TimeSpan> _afterExchange;
    private GatewayUrl? _location;
    private IgdDescription? _device;
    private uint _address;
    private bool _onlyPermanent;
    private int _conflicts;
    private bool _isWaiting;
    private int _generation;

    public UpnpClient(MappingGateway gateway, IReadOnlyList<MappingWish> wishes, IPortMapperOutput output, Random random, Action<TimeSpan> afterExchange)
    {
        (_gateway, _output, _random, _schedule, _afterExchange) = (gateway, output, random, new AskSchedule(random, FirstRepeat, MostSearches), afterExchange);
        foreach (MappingWish wish in wishes)
        {
            _leases.Add(new Lease(wish, _schedule));
        }
    }

    public MappingMethod Method => MappingMethod.Upnp;

    public TimeSpan Next => _isWaiting ? TimeSpan.MaxValue : _location is null || MayConnect ? _schedule.Next : TimeSpan.MaxValue;

    public bool HasFailed => _schedule.HasFailed;

    /// <summary>Whether connections may be made; until then only the search runs.</summary>
    public bool MayConnect { get; set; }

    public void Start(TimeSpan now)
    {
        Forget();
        _schedule.Restart(now);
    }

    public void Tick(TimeSpan now)
    {
        if (now < Next)
        {
            return;
        }

        if (_location is null)
        {
            if (_schedule.TrySend(now))
            {
                foreach (string target in SsdpSearch.Targets)
                {
                    _output.Search(_gateway, SsdpSearch.Write(target));
                }
            }
        }
        else if (_device is null)
        {
            Exchange(_location.Port, SoapRequest.Get(_location), OnDescription);
        }
        else
        {
            Call("GetExternalIPAddress", [], OnAddress);
        }
    }

    /// <summary>Takes a datagram that came from the gateway as an answer to a search.</summary>
    public void Receive(TimeSpan now, ReadOnlySpan<byte> datagram)
    {
        if (_location is null && _schedule.IsAsking && SsdpSearch.Read(datagram, _gateway) is { } location)
        {
            _location = location;
            _schedule.Proceed(now);
        }
    }

    public void Release(TimeSpan now)
    {
        _generation++;
        _isWaiting = false;
        foreach (Lease lease in _leases)
        {
            if (_device is { } device)
            {
                if (lease.IsHeld(now))
                {
                    Delete(device, lease.Wish, lease.External.Port);
                }
                else if (lease.MayBeGranted)
                {
                    DeleteIfOurs(device, lease.Wish, lease.Suggested);
                }
            }

            lease.MayBeGranted = false;
            lease.End();
        }

        _schedule.Stop();
    }

    public TransportAddress? Find(TimeSpan now, MappingWish wish)
    {
        foreach (Lease lease in _leases)
        {
            if (lease.Wish == wish && lease.IsHeld(now))
            {
                return lease.External;
            }
        }

        return null;
    }

    /// <summary>A call about one mapping, whatever else is under way.</summary>
    private void Ask(IgdDescription device, string action, MappingWish wish, ushort port, Action<TimeSpan, ReadOnlyMemory<byte>> done) =>
        _output.Exchange(
            _gateway,
            device.Control.Port,
            SoapRequest.Call(device.Control, device.Service, action, [("NewRemoteHost", ""), ("NewExternalPort", Text(port)), ("NewProtocol", wish.Name)]),
            done);

    private void Delete(IgdDescription device, MappingWish wish, ushort port) => Ask(device, "DeletePortMapping", wish, port, static (_, _) => { });

    /// <summary>Deletes what was asked for and not answered yet. The port may lead to another machine, whose mapping some gateways let anybody delete.</summary>
    private void DeleteIfOurs(IgdDescription device, MappingWish wish, ushort port) =>
        Ask(device, "GetSpecificPortMappingEntry", wish, port, (_, bytes) =>
        {
            if (SoapReply.Read(bytes) is { Error: 0 } reply && reply.Port("NewInternalPort") == wish.Port
                && reply.Values.GetValueOrDefault("NewInternalClient") == GatewayUrl.Name(_gateway.Local.IPv4))
            {
                Delete(device, wish, port);
            }
        });

    private static string Text(ushort port) => port.ToString(CultureInfo.InvariantCulture);

    private void Forget()
    {
        _generation++;
        (_isWaiting, _location, _device) = (false, null, null);
    }

    private void Fail(TimeSpan now)
    {
        Forget();
        _schedule.Fail(now);
    }

    private void Exchange(ushort port, byte[] request, Action<TimeSpan, ReadOnlyMemory<byte>> next)
    {
        int generation = ++_generation;
        _isWaiting = true;
        _output.Exchange(_gateway, port, request, (now, reply) =>
        {
            if (generation == _generation)
            {
                _isWaiting = false;
                next(now, reply);
                _afterExchange(now);
            }
        });
    }

    private void Call(string action, ReadOnlySpan<(string Name, string Value)> arguments, Action<TimeSpan, SoapReply> next) =>
        Exchange(_device!.Control.Port, SoapRequest.Call(_device.Control, _device.Service, action, arguments), (now, bytes) =>
        {
            if (SoapReply.Read(bytes) is { } reply)
            {
                next(now, reply);
            }
            else
            {
                Fail(now);
            }
        });

    private void OnDescription(TimeSpan now, ReadOnlyMemory<byte> bytes)
    {
        if (HttpReply.Read(bytes) is { Status: 200 } reply && IgdDescription.Read(reply.Body, _location!, _gateway) is { } device)
        {
            _device = device;
            _schedule.Proceed(now);
        }
        else
        {
            Fail(now);
        }
    }

    private void OnAddress(TimeSpan now, SoapReply reply)
    {
        if (reply.Error == 0 && reply.Values.TryGetValue("NewExternalIPAddress", out string? text) && ReadAddress(text) is { } address)
        {
            _address = address;
            _conflicts = 0;
            Map(0);
        }
        else
        {
            Fail(now);
        }
    }

    private static uint? ReadAddress(string text) =>
        text.Length <= 15 && IPAddress.TryParse(text, out IPAddress? address) && TransportAddress.From(new IPEndPoint(address, 0)) is { IsIPv4: true, IPv4: not 0 } found
            ? found.IPv4
            : null;

    private void Map(int index)
    {
        Lease lease = _leases[index];
        string action = _device!.IsSecond && !lease.Wish.IsExact ? "AddAnyPortMapping" : "AddPortMapping";
        uint seconds = _onlyPermanent ? 0 : Seconds;
        lease.MayBeGranted = true;
        Call(
            action,
            [
                ("NewRemoteHost", ""),
                ("NewExternalPort", Text(lease.Suggested)),
                ("NewProtocol", lease.Wish.Name),
                ("NewInternalPort", Text(lease.Wish.Port)),
                ("NewInternalClient", GatewayUrl.Name(_gateway.Local.IPv4)),
                ("NewEnabled", "1"),
                ("NewPortMappingDescription", Description),
                ("NewLeaseDuration", seconds.ToString(CultureInfo.InvariantCulture)),
            ],
            (now, reply) => OnMapped(now, index, reply));
    }

    private void OnMapped(TimeSpan now, int index, SoapReply reply)
    {
        Lease lease = _leases[index];
        lease.MayBeGranted = false;
        if (reply.Error == SoapReply.OnlyPermanentLeases && !_onlyPermanent)
        {
            _onlyPermanent = true;
            Map(index);
            return;
        }

        if (reply.Error != 0 && lease.Wish.IsExact)
        {
            // Asked again when the others are renewed.
            MapAfter(index);
            return;
        }

        if (reply.Error == SoapReply.Conflict && _conflicts++ < MostConflicts)
        {
            lease.Suggest((ushort)_random.Next(1024, 65536));
            Map(index);
            return;
        }

        if (reply.Error != 0)
        {
            // What was granted for other ports stands; a gateway that refuses the first one is of no use.
            Fail(now);
            return;
        }

        ushort port = _device!.IsSecond && !lease.Wish.IsExact ? reply.Port("NewReservedPort") : lease.Suggested;
        lease.Grant(now, TransportAddress.FromIPv4(_address, port == 0 ? lease.Suggested : port) with { Protocol = lease.Wish.Protocol }, Seconds);
        MapAfter(index);
    }

    private void MapAfter(int index)
    {
        if (index + 1 < _leases.Count)
        {
            Map(index + 1);
        }
    }
}
