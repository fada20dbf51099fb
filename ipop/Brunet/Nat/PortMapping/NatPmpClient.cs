using Brunet.Addressing;
using static Brunet.Moment;

namespace Brunet.Nat.PortMapping;

/// <summary>Asks one IPv4 gateway by NAT-PMP (RFC 6886). An answer is known by its source and port only: the protocol has no nonce.</summary>
internal sealed class NatPmpClient : IMappingClient
{
    /// <summary>Wanted life of a mapping.</summary>
    private const uint Seconds = 3600;

    /// <summary>Questions for the outside address, which show whether the gateway speaks NAT-PMP at all; RFC 6886 allows nine.</summary>
    private const int MostQuestions = 3;

    /// <summary>Requests of one that does.</summary>
    private const int MostSent = 5;

    /// <summary>RFC 6886 section 3.1.</summary>
    private static readonly TimeSpan FirstRepeat = TimeSpan.FromMilliseconds(250);

    private readonly MappingGateway _gateway;
    private readonly IPortMapperOutput _output;

    [Own("the ports that the node listens on")]
    private readonly List<Lease> _leases = [];

    private readonly AskSchedule _addressSchedule;
    private readonly ServerEpoch _epoch = new();
    private uint? _address;
    private bool _mustMap;

    public NatPmpClient(MappingGateway gateway, IReadOnlyList<MappingWish> wishes, IPortMapperOutput output, Random random)
    {
        (_gateway, _output, _addressSchedule) = (gateway, output, new AskSchedule(random, FirstRepeat, MostQuestions));
        foreach (MappingWish wish in wishes)
        {
            _leases.Add(new Lease(wish, new AskSchedule(random, FirstRepeat, MostSent)));
        }
    }

    public MappingMethod Method => MappingMethod.NatPmp;

    public TimeSpan Next
    {
        get
        {
            TimeSpan next = _addressSchedule.Next;
            foreach (Lease lease in _leases)
            {
                next = Earlier(lease.Schedule.Next, next);
            }

            return next;
        }
    }

    public bool HasFailed => _leases[0].Schedule.HasFailed || _addressSchedule.HasFailed;

    private bool IsStopped => _addressSchedule.Next == TimeSpan.MaxValue;

    public void Start(TimeSpan now)
    {
        _mustMap = true;
        _addressSchedule.Restart(now);
    }

    /// <summary>The gateway's host says that nobody listens on the port.</summary>
    public void NobodyThere(TimeSpan now)
    {
        _mustMap = true;
        _addressSchedule.Fail(now);
    }

    public void Tick(TimeSpan now)
    {
        if (_addressSchedule.TrySend(now))
        {
            Span<byte> request = stackalloc byte[NatPmpRequest.AddressSize];
            NatPmpRequest.WriteAddress(request);
            _output.Ask(_gateway, request);
        }

        foreach (Lease lease in _leases)
        {
            if (lease.Schedule.TrySend(now))
            {
                Send(lease, lease.Suggested, Seconds);
            }
        }
    }

    /// <summary>Takes a datagram that came from the gateway's port 5351.</summary>
    public void Receive(TimeSpan now, ReadOnlySpan<byte> datagram)
    {
        if (IsStopped || !NatPmpAnswer.TryRead(datagram, out NatPmpAnswer answer))
        {
            return;
        }

        // What answers no question says no more than that the gateway may have begun anew: anybody on this network can write its address.
        bool beganAnew = _epoch.BeganAnew(now, answer.Epoch);
        if (answer.Opcode == NatPmpRequest.Address)
        {
            if (_addressSchedule.IsAsking)
            {
                TakeAddress(now, answer);
            }
        }
        else if (_leases.Find(lease => lease.Schedule.IsAsking && NatPmpRequest.Opcode(lease.Wish) == answer.Opcode
            && (lease.Wish.Port == answer.Port || answer is { Result: not 0, Port: 0 })) is { } lease)
        {
            TakeMapping(now, lease, answer);
        }

        if (beganAnew)
        {
            Start(now);
        }
    }

    /// <summary>Takes a datagram that answers no question.</summary>
    public void ReceiveAnnouncement(TimeSpan now, ReadOnlySpan<byte> datagram)
    {
        if (!IsStopped && NatPmpAnswer.TryRead(datagram, out NatPmpAnswer answer) && answer.Opcode == NatPmpRequest.Address && _epoch.IsHinted(now, answer.Epoch))
        {
            Start(now);
        }
    }

    public void Release(TimeSpan now)
    {
        foreach (Lease lease in _leases)
        {
            // What was asked for and not answered yet, too.
            if (lease.IsHeld(now) || lease.MayBeGranted)
            {
                Send(lease, suggested: 0, seconds: 0);
                lease.End();
            }

            lease.Schedule.Stop();
        }

        _addressSchedule.Stop();
    }

    public TransportAddress? Find(TimeSpan now, MappingWish wish)
    {
        foreach (Lease lease in _leases)
        {
            if (_address is { } address && lease.Wish == wish && lease.IsHeld(now))
            {
                return TransportAddress.FromIPv4(address, lease.External.Port) with { Protocol = wish.Protocol };
            }
        }

        return null;
    }

    private void TakeAddress(TimeSpan now, in NatPmpAnswer answer)
    {
        if (answer.Result != 0 || answer.Address == 0)
        {
            _address = null;
            _addressSchedule.Fail(now);
            return;
        }

        _address = answer.Address;
        _addressSchedule.Succeed(now, TimeSpan.FromSeconds(Seconds));
        if (_mustMap)
        {
            _mustMap = false;
            _leases.ForEach(lease => lease.Schedule.Restart(now));
        }
    }

    private void TakeMapping(TimeSpan now, Lease lease, in NatPmpAnswer answer)
    {
        if (answer.Result != 0 || answer.Seconds == 0 || answer.ExternalPort == 0)
        {
            lease.MayBeGranted = false;
            lease.Schedule.Fail(now);
            return;
        }

        if (lease.Wish.Refuses(answer.ExternalPort))
        {
            // Once a question: an answer to this must not lead to another.
            if (lease.MayBeGranted)
            {
                Send(lease, suggested: 0, seconds: 0);
            }

            lease.Schedule.Fail(now);
            return;
        }

        lease.Grant(now, TransportAddress.FromIPv4(0, answer.ExternalPort), answer.Seconds);
    }

    private void Send(Lease lease, ushort suggested, uint seconds)
    {
        lease.MayBeGranted = seconds > 0;
        Span<byte> request = stackalloc byte[NatPmpRequest.MapSize];
        NatPmpRequest.WriteMap(request, lease.Wish, suggested, seconds);
        _output.Ask(_gateway, request);
    }
}
