using Brunet.Addressing;
using static Brunet.Moment;

namespace Brunet.Nat.PortMapping;

/// <summary>Asks one gateway by PCP (RFC 6887). With IPv6 the mapping is a hole in the gateway's firewall, and nothing is translated.</summary>
internal sealed class PcpClient : IMappingClient
{
    /// <summary>Wanted life of a mapping.</summary>
    private const uint Seconds = 3600;

    private const int NonceSize = 12;

    /// <summary>Requests of a round; RFC 6887 would go on for good, but the next round comes too.</summary>
    private const int MostSent = 3;

    /// <summary>IRT of RFC 6887 section 8.1.1.</summary>
    private static readonly TimeSpan FirstRepeat = TimeSpan.FromSeconds(3);

    private readonly MappingGateway _gateway;
    private readonly IPortMapperOutput _output;

    [Own("the ports that the node listens on")]
    private readonly List<(Lease Lease, byte[] Nonce)> _leases = [];

    private readonly ServerEpoch _epoch = new();

    public PcpClient(MappingGateway gateway, IReadOnlyList<MappingWish> wishes, IPortMapperOutput output, Random random)
    {
        (_gateway, _output) = (gateway, output);
        foreach (MappingWish wish in wishes)
        {
            byte[] nonce = new byte[NonceSize];
            random.NextBytes(nonce);
            _leases.Add((new Lease(wish, new AskSchedule(random, FirstRepeat, MostSent)), nonce));
        }
    }

    public MappingMethod Method => MappingMethod.Pcp;

    public TimeSpan Next
    {
        get
        {
            TimeSpan next = TimeSpan.MaxValue;
            foreach ((Lease lease, _) in _leases)
            {
                next = Earlier(lease.Schedule.Next, next);
            }

            return next;
        }
    }

    public bool HasFailed => _leases[0].Lease.Schedule.HasFailed;

    public void Start(TimeSpan now)
    {
        // A gateway that does not grant the first port need not be asked for the others.
        foreach ((Lease lease, _) in _leases)
        {
            lease.Schedule.Stop();
        }

        _leases[0].Lease.Schedule.Restart(now);
    }

    /// <summary>The gateway's host says that nobody listens on the port.</summary>
    public void NobodyThere(TimeSpan now) => FailAll(now);

    public void Tick(TimeSpan now)
    {
        foreach ((Lease lease, byte[] nonce) in _leases)
        {
            if (lease.Schedule.TrySend(now))
            {
                Send(lease, nonce, Seconds);
            }
        }
    }

    /// <summary>Takes a datagram that came from the gateway's port 5351.</summary>
    public void Receive(TimeSpan now, ReadOnlySpan<byte> datagram)
    {
        if (!PcpAnswer.TryRead(datagram, out PcpAnswer answer))
        {
            if (PcpAnswer.IsOtherVersion(datagram))
            {
                FailAll(now);
            }

            return;
        }

        if (answer.IsAnnouncement)
        {
            ReceiveAnnouncement(now, datagram);
            return;
        }

        foreach ((Lease lease, byte[] nonce) in _leases)
        {
            if (lease.Wish.Number == answer.Protocol && lease.Wish.Port == answer.Port && answer.Nonce.SequenceEqual(nonce))
            {
                Take(now, lease, nonce, answer);
                return;
            }
        }
    }

    /// <summary>Takes a datagram that answers no question.</summary>
    public void ReceiveAnnouncement(TimeSpan now, ReadOnlySpan<byte> datagram)
    {
        if (PcpAnswer.TryRead(datagram, out PcpAnswer answer) && answer.IsAnnouncement && _epoch.IsHinted(now, answer.Epoch))
        {
            Remap(now, null);
        }
    }

    public void Release(TimeSpan now)
    {
        foreach ((Lease lease, byte[] nonce) in _leases)
        {
            if (lease.IsHeld(now) || lease.MayBeGranted)
            {
                Send(lease, nonce, seconds: 0);
                lease.End();
            }

            lease.Schedule.Stop();
        }
    }

    public TransportAddress? Find(TimeSpan now, MappingWish wish)
    {
        foreach ((Lease lease, _) in _leases)
        {
            if (lease.Wish == wish && lease.IsHeld(now))
            {
                return lease.External;
            }
        }

        return null;
    }

    private void Take(TimeSpan now, Lease lease, byte[] nonce, in PcpAnswer answer)
    {
        bool isWanted = lease.Schedule.Next != TimeSpan.MaxValue;
        if (_epoch.BeganAnew(now, answer.Epoch))
        {
            Remap(now, lease);
        }

        if (!isWanted)
        {
            return;
        }

        if (answer.Result != PcpAnswer.Success || answer.Seconds == 0 || answer.External.Port == 0)
        {
            // What was granted before stands until its end.
            lease.MayBeGranted = false;
            lease.Schedule.Fail(now);
            return;
        }

        if (lease.Wish.Refuses(answer.External.Port))
        {
            // Once a question: an answer to this must not lead to another.
            if (lease.MayBeGranted)
            {
                Send(lease, nonce, seconds: 0);
            }

            lease.Schedule.Fail(now);
            return;
        }

        lease.Grant(now, answer.External with { Protocol = lease.Wish.Protocol }, answer.Seconds);
        foreach ((Lease other, _) in _leases)
        {
            if (other.Schedule.Next == TimeSpan.MaxValue)
            {
                other.Schedule.Restart(now);
            }
        }
    }

    /// <summary>The gateway has lost its mappings: all but the one that it has just made are asked for again.</summary>
    private void Remap(TimeSpan now, Lease? made)
    {
        foreach ((Lease lease, _) in _leases)
        {
            if (lease != made && lease.Schedule.Next != TimeSpan.MaxValue)
            {
                lease.Schedule.Restart(now);
            }
        }
    }

    private void FailAll(TimeSpan now)
    {
        foreach ((Lease lease, _) in _leases)
        {
            if (lease.Schedule.IsAsking)
            {
                lease.MayBeGranted = false;
                lease.Schedule.Fail(now);
            }
        }
    }

    private void Send(Lease lease, byte[] nonce, uint seconds)
    {
        lease.MayBeGranted = seconds > 0;

        // The all-zeros address of the mapping's family where there is none to suggest (section 11.1).
        TransportAddress suggested = lease.External != default ? lease.External
            : _gateway.Local.IsIPv4 ? TransportAddress.FromIPv4(0, lease.Suggested)
            : new TransportAddress(0, 0, lease.Suggested);
        Span<byte> request = stackalloc byte[PcpRequest.Size];
        PcpRequest.Write(request, _gateway.Local, lease.Wish, nonce, seconds, suggested);
        _output.Ask(_gateway, request);
    }
}
