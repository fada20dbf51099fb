using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using CertificateProfile;

namespace CaService;

/// <summary>
/// The CA's certificate once it was renewed: <c>authority.notice</c> in the CA's folder, as ipopd takes it. From when it is there it counts; <c>ca.pem</c> follows. So the
/// power may go between the two.
/// </summary>
internal sealed class AuthorityRenewal(string folder, ECDsa key)
{
    private const int LargestFile = 4096;
    private (DateTime Written, long Size) _seen;

    /// <summary>The notice; not there before the first renewal.</summary>
    public string NoticePath { get; } = Path.Combine(folder, "authority.notice");

    /// <summary>
    /// Looks whether a later certificate of this CA is there than the one that is known. It is read only when the file became another. A damaged one is as none:
    /// <c>ca.pem</c> is enough to work with.
    /// </summary>
    /// <param name="known">The one that counts so far.</param>
    /// <param name="newer">The later one.</param>
    public bool TryFind(PoolAuthority known, [NotNullWhen(true)] out PoolAuthority? newer)
    {
        newer = null;
        var file = new FileInfo(NoticePath);
        if (!file.Exists || _seen == (file.LastWriteTimeUtc, file.Length))
        {
            return false;
        }

        // Noted after it was read: what could not be read is looked at again.
        bool isNewer = TryRead(file, known, out newer) && newer.NotAfter > known.NotAfter;
        _seen = (file.LastWriteTimeUtc, file.Length);
        return isNewer;
    }

    /// <summary>The number of the notice that is there; 0 where there is none.</summary>
    /// <exception cref="InvalidDataException">The file is damaged.</exception>
    public ulong Number(PoolAuthority known) => new FileInfo(NoticePath) is not { Exists: true } file ? 0
        : TryRead(file, known, out PoolAuthority? found) ? found.NoticeNumber
        : throw new InvalidDataException($"{NoticePath} holds no certificate of this CA: renew it again with wow-ca renew-authority --early.");

    /// <summary>Makes the certificate anew; from then on it counts.</summary>
    /// <exception cref="IOException">The disk is full; all is as before.</exception>
    public void Sign(PoolAuthority former, DateTimeOffset now)
    {
        byte[] der = CertificateIssuer.RenewAuthority(former, key, now);
        if (!PoolAuthority.TryRead(der, out PoolAuthority? made, out string reason))
        {
            throw new InvalidOperationException(reason);
        }

        AtomicFile.Write(NoticePath, NoticeIssuer.Sign(key, PoolAuthority.NoticeKind, made.NoticeNumber, der), UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }

    /// <summary>Keeps a notice that the pool has, if its certificate is a later one of this CA; from then on that counts.</summary>
    /// <param name="known">The one that counts so far.</param>
    /// <param name="notice">The notice's file.</param>
    /// <exception cref="IOException">The disk is full; all is as before.</exception>
    public bool Take(PoolAuthority known, byte[] notice)
    {
        if (notice.Length > LargestFile || !TryRead(notice, known, out PoolAuthority? found) || found.NotAfter <= known.NotAfter)
        {
            return false;
        }

        AtomicFile.Write(NoticePath, notice, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        return true;
    }

    private bool TryRead(FileInfo file, PoolAuthority known, [NotNullWhen(true)] out PoolAuthority? found)
    {
        found = null;
        return file.Length <= LargestFile && TryRead(RottenFile.ReadSigned(NoticePath), known, out found);
    }

    private bool TryRead(byte[] notice, PoolAuthority known, [NotNullWhen(true)] out PoolAuthority? found)
    {
        found = null;
        return NoticeIssuer.TryRead(key, PoolAuthority.NoticeKind, notice, out ulong number, out ReadOnlySpan<byte> body)
            && PoolAuthority.TryRead(body, out found, out _) && found.IsSameAs(known) && found.NoticeNumber == number;
    }
}
