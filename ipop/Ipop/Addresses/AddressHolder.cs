using Brunet;

namespace Ipop.Addresses;

/// <summary>
/// The address of one station, the local machine or a host of its LAN: which it may have, the claim in the DHT, its loss. The certificate's address
/// always comes first; without certificate it is the last run's, then the node's claimable addresses in their order, from the station's own start.
/// </summary>
internal sealed class AddressHolder
{
    /// <summary>Pause after a claim that the DHT did not answer.</summary>
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(2);

    /// <summary>How long an address that somebody else holds is not tried again.</summary>
    private static readonly TimeSpan AvoidFor = TimeSpan.FromMinutes(10);

    /// <summary>Claimable addresses looked up for one offer.</summary>
    private const int LookupsPerOffer = 64;

    private readonly IOverlay _overlay;
    private readonly Subnet _subnet;
    private readonly ClaimableCache _claimable;
    private readonly Action<TimeSpan> _changed;
    private readonly Action _lost;

    [Bounded(nameof(ClaimableAddresses.Count), On = typeof(ClaimableAddresses))]
    private readonly Dictionary<IPv4Address, TimeSpan> _avoidedUntil = [];

    private IPv4Address? _certified;
    private IPv4Address? _last;
    private IPv4Address? _claimed;
    private bool _resumes;
    private int _claims;
    private TimeSpan _actAt;

    /// <summary>Makes the holder of no address.</summary>
    /// <param name="overlay">Where to claim.</param>
    /// <param name="subnet">The virtual network.</param>
    /// <param name="claimable">The node's addresses.</param>
    /// <param name="last">The last run's address, which is claimed again by itself; null for none.</param>
    /// <param name="changed">Called when <see cref="Bound"/> changed.</param>
    /// <param name="lost">Called when the station uses an address that it must give up.</param>
    public AddressHolder(IOverlay overlay, Subnet subnet, ClaimableCache claimable, IPv4Address? last, Action<TimeSpan> changed, Action lost)
    {
        (_overlay, _subnet, _claimable, _changed, _lost) = (overlay, subnet, claimable, changed, lost);
        _last = last is { } address && _subnet.IsHost(address) ? address : null;
        _resumes = _last is not null;
    }

    /// <summary>The claimable address that is tried first; the others follow in their order, and after the last comes the first.</summary>
    public uint Start { get; init; }

    /// <summary>Whether another station of this node has an address: all claim with the same key, so the DHT keeps them not apart.</summary>
    public Func<IPv4Address, bool> IsTaken { get; init; } = static _ => false;

    /// <summary>
    /// Whether a claim of what stands is granted without asking the DHT again: the node renews the record anyway and is told when it is lost. Else the
    /// one create of a renewal is the question.
    /// </summary>
    public bool TrustsRecord { get; init; }

    /// <summary>The address whose record stands, or null.</summary>
    public IPv4Address? Bound { get; private set; }

    /// <summary>Whether a claim is under way.</summary>
    public bool IsClaiming => _claimed is not null;

    /// <summary>Whether the last run's address, or a certificate's, is yet to be claimed.</summary>
    public bool IsResuming => _resumes;

    /// <summary>Whether another certificate, issued later, holds the address of the local one.</summary>
    public bool IsCertificateBeaten { get; private set; }

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    public TimeSpan NextTick => !IsClaiming && Wanted is not null ? _actAt : TimeSpan.MaxValue;

    /// <summary>What <see cref="Tick"/> claims. One rule for it and for <see cref="NextTick"/>: a tick that is due has something to do.</summary>
    private IPv4Address? Wanted => Bound ?? (_resumes ? _certified ?? _last : null);

    /// <summary>Whether the address is bound, or being claimed.</summary>
    public bool Holds(IPv4Address address) => Bound == address || _claimed == address;

    /// <summary>Claims what the last run had, and repeats a claim that the DHT did not answer. Renewal is the node's business.</summary>
    public void Tick(TimeSpan now)
    {
        if (now < _actAt || IsClaiming || !_overlay.IsJoined)
        {
            return;
        }

        if (Wanted is { } address)
        {
            if (Bound is null && !MayHave(now, address, out _))
            {
                _resumes = false;
                return;
            }

            Claim(now, address, (_, _) => { });
        }
    }

    /// <summary>Takes the certificate's address; null without certificate, or if it names none of the subnet's.</summary>
    public void SetCertified(TimeSpan now, IPv4Address? certified)
    {
        _certified = certified;
        _resumes &= (certified ?? _last) is not null;
        IsCertificateBeaten = false;
        if (_claimed is { } claimed && claimed != Bound && certified is not null && certified != claimed)
        {
            _claims++;
            _claimed = null;
            _overlay.Release(now, AddressValue.Key(claimed));
        }

        if (certified is not null && Bound is null)
        {
            _resumes = true;
            _actAt = now;
        }
        else if (Bound is { } bound)
        {
            if (MayHave(now, bound, out _))
            {
                Claim(now, bound, (_, _) => { });
            }
            else
            {
                GiveUp(now, bound);
                _resumes = certified is not null;
                _actAt = now;
            }
        }
    }

    /// <summary>Finds an address to offer without claiming it; null if the DHT does not answer or nothing is free.</summary>
    public void FindOffer(TimeSpan now, Action<TimeSpan, IPv4Address?> done)
    {
        if ((_certified ?? Bound) is { } sure)
        {
            done(now, sure);
        }
        else if (_last is { } last && MayHave(now, last, out _))
        {
            TryOffer(now, last, 0, LookupsPerOffer, done);
        }
        else
        {
            TryClaimable(now, 0, LookupsPerOffer, done);
        }
    }

    /// <summary>Claims an address by one atomic create. A claim that is under way is superseded.</summary>
    public void Claim(TimeSpan now, IPv4Address address, Action<TimeSpan, ClaimResult> done)
    {
        if (!MayHave(now, address, out uint index))
        {
            done(now, ClaimResult.Refused);
            return;
        }

        if (TrustsRecord && Bound == address && !IsClaiming)
        {
            _actAt = TimeSpan.MaxValue;
            done(now, ClaimResult.Bound);
            return;
        }

        int claim = ++_claims;
        if (_claimed is { } superseded && superseded != address && superseded != Bound)
        {
            _overlay.Release(now, AddressValue.Key(superseded));
        }

        _claimed = address;
        _actAt = TimeSpan.MaxValue;
        _overlay.Create(now, AddressValue.Key(address), AddressValue.ForAddress(index), (then, answer) => OnClaimed(then, claim, address, answer.Status, done));
    }

    /// <summary>Gives the address back because the guest wants no more of it. It is the first to be offered again.</summary>
    public void Release(TimeSpan now, IPv4Address address)
    {
        if (Bound == address)
        {
            _last = address;
            Unbind(now);
            _overlay.Release(now, AddressValue.Key(address));
        }
    }

    /// <summary>Gives an address up that somebody else uses (DHCPDECLINE), for a while.</summary>
    public void Decline(TimeSpan now, IPv4Address address)
    {
        if (_claimable.TryFind(address, out _))
        {
            _avoidedUntil[address] = now + AvoidFor;
        }

        Release(now, address);
    }

    /// <summary>Gives an address up for good: the CA refuses it.</summary>
    public void Refuse(TimeSpan now, IPv4Address address)
    {
        _avoidedUntil[address] = TimeSpan.MaxValue;
        if (Bound == address)
        {
            GiveUp(now, address);
        }
    }

    private bool MayHave(TimeSpan now, IPv4Address address, out uint index)
    {
        index = AddressValue.NoIndex;
        if (_certified is { } certified)
        {
            return address == certified;
        }

        return _subnet.IsHost(address) && !IsAvoided(now, address) && _claimable.TryFind(address, out index) && !IsTaken(address);
    }

    private bool IsAvoided(TimeSpan now, IPv4Address address) => _avoidedUntil.TryGetValue(address, out TimeSpan until) && now < until;

    private void TryClaimable(TimeSpan now, uint index, int lookups, Action<TimeSpan, IPv4Address?> done)
    {
        for (; index < ClaimableAddresses.Count && lookups > 0; index++)
        {
            IPv4Address claimable = _claimable.Address((Start + index) % ClaimableAddresses.Count);
            if (!_claimable.IsReserved(claimable) && !IsAvoided(now, claimable) && !IsTaken(claimable))
            {
                TryOffer(now, claimable, index + 1, lookups - 1, done);
                return;
            }
        }

        done(now, null);
    }

    private void TryOffer(TimeSpan now, IPv4Address address, uint next, int lookups, Action<TimeSpan, IPv4Address?> done) =>
        _overlay.Lookup(now, AddressValue.Key(address), (then, answer) =>
        {
            switch (AddressValue.Owner(answer))
            {
                case null when answer.Status == DhtStatus.TimedOut:
                    // It may be the replicas of this address alone that do not answer; if it is all of them, one more shows it.
                    TryClaimable(then, next, Math.Min(lookups, 1), done);
                    break;
                case { } owner when owner.Address != _overlay.Address:
                    _avoidedUntil[address] = then + AvoidFor;
                    TryClaimable(then, next, lookups, done);
                    break;
                case not null when IsTaken(address):
                    // Another station claimed it meanwhile.
                    TryClaimable(then, next, lookups, done);
                    break;
                default:
                    done(then, address);
                    break;
            }
        });

    private void OnClaimed(TimeSpan now, int claim, IPv4Address address, DhtStatus status, Action<TimeSpan, ClaimResult> done)
    {
        bool isCurrent = claim == _claims && _claimed == address;
        if (isCurrent)
        {
            _claimed = null;
        }

        switch (status)
        {
            case DhtStatus.Done:
                if (isCurrent)
                {
                    Bind(now, address);
                }
                else if (Bound != address && _claimed != address)
                {
                    // The claim was given up while it ran: nobody uses the record.
                    _overlay.Release(now, AddressValue.Key(address));
                }

                done(now, isCurrent || Bound == address ? ClaimResult.Bound : ClaimResult.Unknown);
                break;
            case DhtStatus.Lost:
                // A renewal by the node may end here too, long after the claim was won.
                OnLost(now, address, isCurrent);
                done(now, ClaimResult.Refused);
                break;
            default:
                _actAt = isCurrent ? now + RetryAfter : _actAt;
                done(now, ClaimResult.Unknown);
                break;
        }
    }

    private void OnLost(TimeSpan now, IPv4Address address, bool isCurrent)
    {
        if (_certified == address)
        {
            IsCertificateBeaten = true;
        }
        else
        {
            _avoidedUntil[address] = now + AvoidFor;
        }

        if (Bound == address || (isCurrent && _resumes))
        {
            GiveUp(now, address);
        }
    }

    private void Bind(TimeSpan now, IPv4Address address)
    {
        _resumes = false;
        _last = address;
        IsCertificateBeaten = false;
        if (Bound == address)
        {
            return;
        }

        if (Bound is { } former)
        {
            _overlay.Release(now, AddressValue.Key(former));
        }

        Bound = address;
        _changed(now);
    }

    private void GiveUp(TimeSpan now, IPv4Address address)
    {
        _resumes = false;
        _overlay.Release(now, AddressValue.Key(address));
        Unbind(now);
        _lost();
    }

    private void Unbind(TimeSpan now)
    {
        _claims++;
        _claimed = null;
        if (Bound is not null)
        {
            Bound = null;
            _changed(now);
        }
    }
}
