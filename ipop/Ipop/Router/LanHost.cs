using Ipop.Addresses;
using Ipop.Dhcp;

namespace Ipop.Router;

/// <summary>One host of the LAN: its address, its lease, its DHCP server, and what it may ask for.</summary>
internal sealed class LanHost
{
    /// <summary>Addresses that a host may ask for in a row before it waits.</summary>
    private const int Questions = 100;

    /// <summary>What one more costs: 50 a second.</summary>
    private static readonly TimeSpan PerQuestion = TimeSpan.FromMilliseconds(20);

    /// <summary>DHCP messages in a row that the DHT may be asked for, before a host waits: many times what clients send.</summary>
    private const int Messages = 20;

    /// <summary>What one more costs: two a second.</summary>
    private static readonly TimeSpan PerMessage = TimeSpan.FromMilliseconds(500);

    /// <summary>How long a host without address keeps its place, so that nobody can change Ethernet addresses faster than that.</summary>
    private static readonly TimeSpan PlaceFor = TimeSpan.FromSeconds(60);

    /// <summary>How often a host is asked whether it is there before its address is given back.</summary>
    private const int AsksAtEnd = 3;

    private static readonly TimeSpan BetweenAsks = TimeSpan.FromSeconds(1);

    private readonly Allowance _questions = new(Questions, PerQuestion);
    private readonly Allowance _messages = new(Messages, PerMessage);
    private TimeSpan _askedAt;
    private int _asks;

    /// <summary>Its Ethernet address.</summary>
    public required MacAddress Mac { get; init; }

    /// <summary>Its address; set at once after it is made.</summary>
    public AddressHolder Holder { get; set; } = null!;

    /// <summary>Its DHCP server; set at once after it is made.</summary>
    public DhcpServer Dhcp { get; set; } = null!;

    /// <summary>The address under which it stands in the table.</summary>
    public IPv4Address? Address { get; set; }

    /// <summary>The address that it had before the last change; null if it had none, or it was dealt with.</summary>
    public IPv4Address? LostAddress { get; set; }

    /// <summary>Whether it ever had an address: who had none gives way when all places are taken.</summary>
    public bool HadAddress { get; set; }

    /// <summary>When something last came from it; null if nothing ever did.</summary>
    public TimeSpan? HeardAt { get; set; }

    /// <summary>When it last had to do with DHCP, or lost its address.</summary>
    public TimeSpan ActiveAt { get; set; }

    /// <summary>When its lease ends.</summary>
    public TimeSpan LeaseEnds { get; private set; }

    /// <summary>Whether it has neither an address nor a claim under way.</summary>
    public bool IsIdle => Address is null && !Holder.IsClaiming && !Holder.IsResuming;

    /// <summary>When <see cref="LookAtLease"/> or <see cref="MayGo"/> has something to say.</summary>
    public TimeSpan Due => Address is not null ? (_asks == 0 ? LeaseEnds : _askedAt + BetweenAsks) : IsIdle ? ActiveAt + PlaceFor : TimeSpan.MaxValue;

    /// <summary>A lease was given or renewed.</summary>
    public void Lease(TimeSpan now, TimeSpan length) => (LeaseEnds, _asks) = (now + length, 0);

    /// <summary>Whether its place is free again.</summary>
    public bool MayGo(TimeSpan now) => IsIdle && now >= ActiveAt + PlaceFor;

    /// <summary>
    /// Looks at a lease that has ended. Who still answers ARP goes on using the address, whatever it should do, so nobody else shall have it.
    /// </summary>
    /// <returns>Whether to ask the host now, and whether its address is to be given back.</returns>
    public (bool MustAsk, bool IsOver) LookAtLease(TimeSpan now)
    {
        if (Address is null || now < Due)
        {
            return (false, false);
        }

        if (_asks > 0 && HeardAt >= _askedAt)
        {
            Lease(now, PlaceFor);
            return (false, false);
        }

        if (_asks == AsksAtEnd)
        {
            _asks = 0;
            return (false, true);
        }

        _askedAt = now;
        _asks++;
        return (true, false);
    }

    /// <summary>Whether it may ask for one more address now, and notes that it did.</summary>
    public bool MayAsk(TimeSpan now) => _questions.TryTake(now);

    /// <summary>Whether it may ask for its own address by DHCP now, and notes that it did. Who scans the network can renew its lease all the same.</summary>
    public bool MayClaim(TimeSpan now) => _messages.TryTake(now);
}
