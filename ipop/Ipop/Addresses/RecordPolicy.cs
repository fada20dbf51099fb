using System.Security.Cryptography;
using System.Text;
using Brunet.Dht;
using Brunet.Sessions;

namespace Ipop.Addresses;

/// <summary>
/// Which records may stand, and which of two does. Only what the records themselves prove decides, so every replica decides
/// alike and a partition that heals has one outcome.
/// </summary>
/// <remarks>
/// An empty value withdraws a record and says nothing about who owns what. For one key, in this order:
/// <list type="number">
/// <item>a record backed by a certificate beats one that is not;</item>
/// <item>between certificates the later NotBefore, then the smaller serial number;</item>
/// <item>between bare keys, for addresses: the smaller index;</item>
/// <item>the smaller SHA-256(owner's public key, name); it also settles names and services of an open pool.</item>
/// </list>
/// </remarks>
public sealed class RecordPolicy : IRecordPolicy
{
    /// <summary>Records of a node itself, with room for addresses that it just changed.</summary>
    private const int OwnRecords = 16;

    /// <summary>Most records that a node of an open pool may own for hosts of its LAN.</summary>
    public const int HostRecords = 250;

    private readonly Subnet _subnet;
    private readonly bool _isOpen;
    private readonly ReservedRanges _reserved;

    /// <summary>Makes the pool's policy.</summary>
    /// <param name="subnet">Prefix of the virtual network.</param>
    /// <param name="isOpen">Whether the pool has no CA: bare keys may own names and services.</param>
    /// <param name="reserved">Addresses that bare keys may not own; null for none.</param>
    public RecordPolicy(Subnet subnet, bool isOpen, ReservedRanges? reserved = null) =>
        (_subnet, _isOpen, _reserved) = (subnet, isOpen, reserved ?? ReservedRanges.None);

    /// <summary>
    /// The CA's newest list of managers; null while none is known. The address of a manager on it, its host name and its services' names are its
    /// certificate's alone, whoever has a later one (docs/decisions/0043). Who has no list yet, or is of a release without, decides as before.
    /// </summary>
    public ManagerList? Managers { get; set; }

    /// <summary>
    /// Most records of one owner on one node. In an open pool a node may serve a LAN, and in a small one each node keeps the records of all its hosts
    /// (<see cref="HostRecords"/>); when places get scarce, those of whoever has most go first.
    /// </summary>
    public int MaxPerOwner => _isOpen ? HostRecords + OwnRecords : OwnRecords;

    /// <inheritdoc/>
    public bool IsAllowed(DhtRecord record)
    {
        ArgumentNullException.ThrowIfNull(record);
        return record.Key.Kind switch
        {
            // Withdrawn: it yields to every other record, so it matters to its owner only.
            RecordKind.Address or RecordKind.HostName or RecordKind.Service when record.Value.IsEmpty => true,
            RecordKind.Address => IsAddressAllowed(record),
            RecordKind.HostName => IsHostNameAllowed(record),
            RecordKind.Service => IsServiceAllowed(record),
            _ => false,
        };
    }

    /// <inheritdoc/>
    public int Compare(DhtRecord left, DhtRecord right)
    {
        ArgumentNullException.ThrowIfNull(left);
        ArgumentNullException.ThrowIfNull(right);
        MemberCertificate? leftCertificate = left.Owner.Certificate;
        MemberCertificate? rightCertificate = right.Owner.Certificate;
        if ((leftCertificate is null) != (rightCertificate is null))
        {
            return leftCertificate is null ? 1 : -1;
        }

        int order = 0;
        if (leftCertificate is not null && rightCertificate is not null)
        {
            order = rightCertificate.NotBefore.CompareTo(leftCertificate.NotBefore);
            order = order != 0 ? order : CompareSerials(leftCertificate.Serial, rightCertificate.Serial);
        }
        else if (left.Key.Kind == RecordKind.Address)
        {
            order = AddressValue.Index(left).CompareTo(AddressValue.Index(right));
        }

        return order != 0 ? order : CompareHashes(left, right);
    }

    private static int CompareSerials(ReadOnlySpan<char> left, ReadOnlySpan<char> right)
    {
        // As numbers: a longer one is larger once leading zeros are gone.
        left = left.TrimStart('0');
        right = right.TrimStart('0');
        return left.Length != right.Length ? left.Length.CompareTo(right.Length) : left.CompareTo(right, StringComparison.OrdinalIgnoreCase);
    }

    private static int CompareHashes(DhtRecord left, DhtRecord right)
    {
        Span<byte> leftHash = stackalloc byte[SHA256.HashSizeInBytes];
        Span<byte> rightHash = stackalloc byte[SHA256.HashSizeInBytes];
        Hash(left, leftHash);
        Hash(right, rightHash);
        return leftHash.SequenceCompareTo(rightHash);
    }

    private static void Hash(DhtRecord record, Span<byte> hash)
    {
        using var sha = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        sha.AppendData(record.Owner.PublicKey.Span);
        sha.AppendData(Encoding.UTF8.GetBytes(record.Key.Name));
        sha.GetHashAndReset(hash);
    }

    private bool IsAddressAllowed(DhtRecord record)
    {
        if (record.Value.Length != AddressValue.Size || !IPv4Address.TryParse(record.Key.Name, out IPv4Address address) || !_subnet.IsHost(address))
        {
            return false;
        }

        if (record.Owner.Certificate is { } certificate)
        {
            return CertifiedAddresses.Grants(certificate, address, Managers);
        }

        uint index = AddressValue.Index(record);
        return index < ClaimableAddresses.Count && !_reserved.Contains(address) && Managers?.At(address) is null
            && ClaimableAddresses.Address(_subnet, record.Owner.Address, index) == address;
    }

    private bool IsHostNameAllowed(DhtRecord record) =>
        record.Owner.Certificate is { } certificate
            ? string.Equals(certificate.HostName, record.Key.Name, StringComparison.OrdinalIgnoreCase) && NamesCertified(record, certificate)
            : NamesHostOfOpenPool(record);

    private bool IsServiceAllowed(DhtRecord record) =>
        record.Owner.Certificate is { } certificate
            ? certificate.IsManager && NamesCertified(record, certificate)
            : NamesHostOfOpenPool(record);

    private bool NamesHostOfOpenPool(DhtRecord record) =>
        _isOpen && AddressValue.TryReadName(record, out IPv4Address address) && _subnet.IsHost(address);

    private bool NamesCertified(DhtRecord record, MemberCertificate certificate) =>
        AddressValue.TryReadName(record, out IPv4Address address) && CertifiedAddresses.Grants(certificate, address, Managers)
        && (Managers?.Named(record.Key.Name) is not { } manager || manager.IsHolder(certificate.HostName, address, certificate.IsManager));
}
