using System.Security.Cryptography;
using Brunet.Addressing;
using Brunet.Sessions;
using CertificateProfile;
using Ipopd.Configuration;
using Ipopd.State;

namespace Ipopd.Identity;

/// <summary>The node's key and, once it has one, its certificate, as the state folder holds them.</summary>
internal sealed class NodeIdentity : ILocalIdentity, IDisposable
{
    private readonly byte[] _publicKey;
    private MemberCertificate? _held;

    private NodeIdentity(ECDsa key)
    {
        Key = key;
        _publicKey = key.ExportSubjectPublicKeyInfo();
        Address = NodeAddress.FromPublicKey(_publicKey);
    }

    /// <summary>The private key.</summary>
    internal ECDsa Key { get; }

    /// <inheritdoc/>
    public NodeAddress Address { get; }

    /// <inheritdoc/>
    public ReadOnlyMemory<byte> PublicKey => _publicKey;

    /// <summary>The certificate while it is valid. One that is out of date is put aside, for it may be the clock that is wrong.</summary>
    public MemberCertificate? Certificate { get; private set; }

    /// <summary>Reads the key, or makes it on the first start.</summary>
    /// <exception cref="ConfigurationException">The file can't be read or holds no key.</exception>
    internal static NodeIdentity LoadOrCreate(string folder)
    {
        string path = StateFolder.KeyFile(folder);
        try
        {
            var identity = new NodeIdentity(NodeKey.LoadOrCreate(path));
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            return identity;
        }
        catch (InvalidDataException exception)
        {
            throw new ConfigurationException(exception.Message);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new ConfigurationException($"{path}: {exception.Message}; ipopd must be able to read and write it");
        }
    }

    /// <summary>Reads STATE/node.pem. While a file that is there can't be read, what was held before stands: the disk says nothing against it.</summary>
    /// <param name="folder">The state folder.</param>
    /// <param name="verifier">The pool's; null in an open pool, which knows no certificates.</param>
    /// <returns>What is wrong with the file and what to do, or null. Without file there is nothing wrong.</returns>
    internal string? LoadCertificate(string folder, PoolCertificateVerifier? verifier)
    {
        MemberCertificate? former = _held;
        _held = Certificate = null;
        string path = StateFolder.CertificateFile(folder);
        if (verifier is null)
        {
            return null;
        }

        try
        {
            if (!CertificatePem.TryRead(File.ReadAllText(path), out byte[]? der))
            {
                return $"{path} holds no certificate in PEM; enrol anew";
            }

            if (!verifier.TryVerifyIgnoringTime(der, out MemberCertificate? certificate, out string reason))
            {
                return $"{path} can't be used: {reason}; enrol anew";
            }

            if (certificate.Node != Address)
            {
                return $"{path} is the certificate of another key than {StateFolder.KeyFile(folder)}; enrol anew";
            }

            _held = certificate;
            LookAtClock(verifier, out string? fault);
            return fault is null ? null : $"{path} is put aside: {fault}; if this machine's clock is right, enrol anew";
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        catch (FormatException exception)
        {
            return $"{path} can't be read ({exception.Message}); enrol anew";
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // It may have been revoked since.
            _held = former is not null && verifier.TryVerifyIgnoringTime(former.Der.Span, out _, out _) ? former : null;
            LookAtClock(verifier, out _);
            return $"{path} can't be read ({exception.Message}); {(_held is null ? "enrol anew" : "the certificate that was read before is used")}";
        }
    }

    /// <summary>Puts the certificate aside when it is out of date, and takes it back when it is valid again: the clock may have been wrong, or be so now.</summary>
    /// <param name="verifier">The pool's, with its clock.</param>
    /// <param name="fault">Why the certificate that there is can't be used now.</param>
    /// <returns>Whether <see cref="Certificate"/> became another.</returns>
    internal bool LookAtClock(PoolCertificateVerifier? verifier, out string? fault)
    {
        fault = _held is null ? null : verifier?.OutOfDate(_held);
        MemberCertificate? before = Certificate;
        Certificate = fault is null ? _held : null;
        return before != Certificate;
    }

    /// <summary>Whether the CA's newest list names the certificate that there is, one that is put aside too: the clock would bring it back.</summary>
    internal bool IsRevoked(PoolCertificateVerifier verifier) => _held is { } held && verifier.Revocations?.Contains(held.Serial) == true;

    /// <inheritdoc/>
    public byte[] Sign(ReadOnlySpan<byte> message) =>
        Key.SignData(message.ToArray(), HashAlgorithmName.SHA256, DSASignatureFormat.IeeeP1363FixedFieldConcatenation);

    /// <inheritdoc/>
    public void Dispose() => Key.Dispose();
}
