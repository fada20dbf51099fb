using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Security.Cryptography;
using CertificateProfile;
using Ipopd.State;

namespace Ipopd.Enroll;

/// <summary>The state folder as enrolment sees it: the node's key, the pool's CA, the certificate.</summary>
internal sealed class EnrollState : IDisposable
{
    private const UnixFileMode Readable = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
    private readonly string _folder;
    private readonly string _certificatePath;
    private readonly byte[] _publicKey;

    /// <exception cref="InvalidDataException">Key or CA certificate can't be used; the message names the file.</exception>
    /// <exception cref="IOException">They can't be read.</exception>
    internal EnrollState(string folder)
    {
        _folder = folder;
        _certificatePath = StateFolder.CertificateFile(folder);
        Authority = AuthorityFile.Load(folder);
        Key = NodeKey.LoadOrCreate(StateFolder.KeyFile(folder));
        _publicKey = Key.ExportSubjectPublicKeyInfo();
    }

    internal PoolAuthority Authority { get; }

    internal ECDsa Key { get; }

    /// <summary>Reads STATE/node.pem.</summary>
    /// <returns>The certificate if it is valid now, not revoked, of this key and for this address; else null.</returns>
    internal (MemberInfo Info, byte[] Der)? FindCertificate(IPAddress address, DateTimeOffset now)
    {
        try
        {
            return File.Exists(_certificatePath)
                && CertificatePem.TryRead(File.ReadAllText(_certificatePath), out byte[]? der)
                && IsMine(der, address, now, out MemberInfo? info, out _)
                ? (info, der)
                : null;
        }
        catch (Exception e) when (e is IOException or FormatException)
        {
            return null;
        }
    }

    /// <summary>Whether a certificate may be believed and is this machine's at this address.</summary>
    internal bool IsMine(byte[] der, IPAddress address, DateTimeOffset now, [NotNullWhen(true)] out MemberInfo? info, out string reason)
    {
        if (!Authority.TryVerify(der, now, out info, out reason))
        {
            return false;
        }

        if (RevocationFile.Load(_folder, Authority)?.Contains(info.Serial) == true)
        {
            reason = "the pool's CA revoked it";
            return false;
        }

        bool mine = info.PublicKey.Span.SequenceEqual(_publicKey) && info.Address.Equals(address);
        reason = mine ? string.Empty : "it is for another key or address";
        return mine;
    }

    /// <summary>Keeps a certificate: the whole file or the old one.</summary>
    /// <exception cref="IOException">The disk is full or the folder can't be written.</exception>
    internal void Keep(byte[] der) => AtomicFile.WriteText(_certificatePath, CertificatePem.Write(der), Readable);

    /// <inheritdoc/>
    public void Dispose() => Key.Dispose();
}
