using System.Diagnostics.CodeAnalysis;
using Brunet.Addressing;
using Brunet.Sessions;
using CertificateProfile;
using Ipop.Clock;
using Ipopd.Configuration;
using Ipopd.State;

namespace Ipopd.Identity;

/// <summary>Believes what the pool's CA signed, at this moment of the wall clock.</summary>
internal sealed class PoolCertificateVerifier : ICertificateVerifier
{
    private readonly TimeProvider _time;
    private readonly SignedTimes? _known;
    private PoolAuthority _authority;
    private RevocationList? _revocations;

    private PoolCertificateVerifier(PoolAuthority authority, TimeProvider time, SignedTimes? known) => (_authority, _time, _known) = (authority, time, known);

    /// <summary>Reads STATE/ca.pem and checks that it is the configured pool's.</summary>
    /// <exception cref="ConfigurationException">Says what to do.</exception>
    /// <param name="options">The configuration.</param>
    /// <param name="time">What time it is.</param>
    /// <param name="known">Learns what verified signatures say about the time.</param>
    internal static PoolCertificateVerifier Load(DaemonOptions options, TimeProvider time, SignedTimes? known = null)
    {
        string path = StateFolder.AuthorityFile(options.NodeState);
        if (!File.Exists(path))
        {
            throw new ConfigurationException(
                $"{path} is missing; put the pool's CA certificate there, or set {OptionKey.PoolOpen} = yes in {options.File} for a pool without CA");
        }

        PoolAuthority authority;
        try
        {
            authority = AuthorityFile.Load(options.NodeState);
        }
        catch (Exception exception) when (exception is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            throw new ConfigurationException($"{exception.Message.TrimEnd('.')} (needed because {OptionKey.PoolOpen} = no in {options.File})");
        }

        PoolProfile pool = authority.Pool;
        return pool.Name == options.PoolName && pool.Subnet.ToString() == options.PoolSubnet.ToString()
            ? new PoolCertificateVerifier(authority, time, known) { Revocations = RevocationFile.Load(options.NodeState, authority) }
            : throw new ConfigurationException(
                $"{path} is the CA of pool {pool.Name} with subnet {pool.Subnet}, but {options.File} has {OptionKey.PoolName} = {options.PoolName} and "
                + $"{OptionKey.PoolSubnet} = {options.PoolSubnet}; make them agree");
    }

    /// <summary>The CA certificate.</summary>
    internal ReadOnlySpan<byte> AuthorityDer => _authority.Der.Span;

    /// <summary>From now on goes by another certificate of the same CA.</summary>
    /// <returns>False, and nothing changes, where it is of another CA or ends before the one that is known.</returns>
    internal bool Renew(PoolAuthority authority)
    {
        if (!authority.IsSameAs(_authority) || authority.NotAfter < _authority.NotAfter)
        {
            return false;
        }

        _authority = authority;
        return true;
    }

    /// <summary>What the CA took back, as far as it is known; null if nothing is.</summary>
    internal RevocationList? Revocations
    {
        get => _revocations;
        set
        {
            _revocations = value;
            if (value is not null)
            {
                // The CA's clock may be a little ahead, as it allows for in certificates.
                _known?.Add(value.MadeAt - PoolProfile.Backdate);
            }
        }
    }

    /// <summary>Reads a list of the pool's CA.</summary>
    internal bool TryReadRevocations(ReadOnlySpan<byte> der, [NotNullWhen(true)] out RevocationList? list, out string reason) =>
        _authority.TryReadRevocations(der, out list, out reason);

    /// <inheritdoc/>
    public MemberCertificate? Verify(ReadOnlySpan<byte> der) => TryVerify(der, out MemberCertificate? certificate, out _) ? certificate : null;

    /// <inheritdoc/>
    public MemberCertificate? VerifyIgnoringTime(ReadOnlySpan<byte> der) => TryVerifyIgnoringTime(der, out MemberCertificate? certificate, out _) ? certificate : null;

    /// <inheritdoc/>
    public bool Counts(MemberCertificate certificate) => OutOfDate(certificate) is null && Revoked(certificate.Serial) is null;

    /// <inheritdoc/>
    public TimeSpan TimeLeft(MemberCertificate certificate) => certificate.NotAfter - _time.GetUtcNow();

    /// <summary>Like <see cref="Verify"/>, with the reason.</summary>
    internal bool TryVerify(ReadOnlySpan<byte> der, [NotNullWhen(true)] out MemberCertificate? certificate, out string reason)
    {
        if (!TryVerifyIgnoringTime(der, out certificate, out reason))
        {
            return false;
        }

        if (OutOfDate(certificate) is not { } fault)
        {
            return true;
        }

        (certificate, reason) = (null, fault);
        return false;
    }

    /// <summary>Why a certificate that is genuine is not valid at this moment of the wall clock; null if it is.</summary>
    internal string? OutOfDate(MemberCertificate certificate) => _authority.OutOfDate(certificate.NotBefore, certificate.NotAfter, _time.GetUtcNow());

    /// <summary>Whether a certificate is genuine and not revoked, whatever the time is.</summary>
    internal bool TryVerifyIgnoringTime(ReadOnlySpan<byte> der, [NotNullWhen(true)] out MemberCertificate? certificate, out string reason)
    {
        certificate = null;
        if (!_authority.TryVerifyIgnoringTime(der, out MemberInfo? info, out reason) || !NodeAddress.TryParse(info.Node, out NodeAddress node))
        {
            return false;
        }

        _known?.Add(info.NotBefore, info.NotAfter);
        if (Revoked(info.Serial) is { } fault)
        {
            reason = fault;
            return false;
        }

        certificate = new MemberCertificate(
            info.Address, info.HostName, info.Role == MemberRole.Manager, info.Serial, info.NotBefore, info.NotAfter, node, der.ToArray());
        return true;
    }

    private string? Revoked(string serial) => Revocations is { } list && list.Contains(serial)
        ? $"the pool's CA revoked it (list {list.Number}) and its key with it; with another key (`wow reset`) the machine may come again"
        : null;
}
