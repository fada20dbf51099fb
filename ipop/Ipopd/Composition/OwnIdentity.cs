using Brunet.Sessions;
using Ipop.Linux.Handshakes;
using Ipopd.Clock;
using Ipopd.Configuration;
using Ipopd.Control;
using Ipopd.Identity;
using Ipopd.Logging;
using Ipopd.State;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>
/// Who this machine is: its key and its certificate, which may be renewed, run out, be revoked, or be valid again because the clock is right again.
/// </summary>
internal sealed class OwnIdentity : IDisposable
{
    private readonly DaemonOptions _options;
    private readonly ILogger _log;

    /// <summary>Reads key and certificate, and makes the key on the first start.</summary>
    /// <exception cref="ConfigurationException">The state folder can't be used.</exception>
    internal OwnIdentity(DaemonOptions options, TimeDesk clock, ILogger log)
    {
        (_options, _log) = (options, log);
        Node = NodeIdentity.LoadOrCreate(options.NodeState);
        Verifier = options.PoolOpen ? null : PoolCertificateVerifier.Load(options, clock.Kept, clock.Known);
        Trouble = Node.LoadCertificate(options.NodeState, Verifier);
        Handshakes = new OpenSslHandshakeProvider(Node.Key, CertificateBytes, Verifier) { MayUseLibrary = options.Offload.LibraryCipher };
    }

    /// <summary>Key and certificate.</summary>
    internal NodeIdentity Node { get; }

    /// <summary>Judges certificates; null in an open pool.</summary>
    internal PoolCertificateVerifier? Verifier { get; }

    /// <summary>Makes handshakes in this machine's name.</summary>
    internal OpenSslHandshakeProvider Handshakes { get; }

    /// <summary>The certificate while it is valid.</summary>
    internal MemberCertificate? Certificate => Node.Certificate;

    /// <summary>What is wrong with the certificate and what to do; null if nothing is.</summary>
    internal string? Trouble { get; private set; }

    /// <summary>Hears that <see cref="Certificate"/> may be another.</summary>
    internal Action<TimeSpan>? Changed { get; set; }

    private ReadOnlySpan<byte> CertificateBytes => Certificate is { } certificate ? certificate.Der.Span : [];

    /// <summary>Reads the certificate again.</summary>
    internal ControlFault? Reload(TimeSpan now)
    {
        if (_options.PoolOpen)
        {
            return new(ControlCode.OpenPool, $"the pool is open ({OptionKey.PoolOpen} = yes in {_options.File}), so there are no certificates to load");
        }

        Trouble = Node.LoadCertificate(_options.NodeState, Verifier);
        if (Trouble is null && Certificate is null)
        {
            Trouble = $"{StateFolder.CertificateFile(_options.NodeState)} is missing; enrol with `wow enroll`";
        }

        Change(now);
        return Trouble is null ? null : new(ControlCode.BadCertificate, Trouble);
    }

    /// <summary>Reads the certificate again where nobody waits for a reply: what is wrong goes to the log.</summary>
    internal void ReloadAndTell(TimeSpan now)
    {
        if (Reload(now) is { Text: var trouble })
        {
            _log.CertificateTrouble(trouble);
        }
    }

    /// <summary>Looks whether the certificate ran out, or is valid again; true if it is another than before.</summary>
    internal bool LookAtClock(TimeSpan now)
    {
        if (!Node.LookAtClock(Verifier, out string? fault))
        {
            return false;
        }

        Trouble = fault is null
            ? null
            : $"{StateFolder.CertificateFile(_options.NodeState)} is put aside: {fault}; if this machine's clock is right, enrol with `wow enroll`";
        Tell();
        Change(now);
        return true;
    }

    /// <summary>The certificate may be on a new list of revoked ones.</summary>
    internal void LookAtRevocations(TimeSpan now)
    {
        if (Node.IsRevoked(Verifier!))
        {
            ReloadAndTell(now);
        }
    }

    /// <summary>Says in the log what is wrong, if anything is.</summary>
    internal void Tell()
    {
        if (Trouble is { } trouble)
        {
            _log.CertificateTrouble(trouble);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Handshakes.Dispose();
        Node.Dispose();
    }

    private void Change(TimeSpan now)
    {
        Handshakes.UseCertificate(CertificateBytes);
        Changed?.Invoke(now);
        if (Certificate is { } certificate)
        {
            _log.CertificateTaken(certificate.Serial, certificate.HostName, certificate.VirtualAddress.ToString(), $"{certificate.NotAfter:u}");
        }
        else
        {
            _log.CertificateNone();
        }
    }
}
