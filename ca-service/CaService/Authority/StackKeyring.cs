using System.Security.Cryptography;
using CertificateProfile;

namespace CaService;

/// <summary>
/// The key that signs the pool's stack and its term: the CA's, until an administrator had another one take its place. In the CA's folder stand <c>keys.notice</c>, all of
/// them with their proofs, and <c>stack-N.key</c>, the newest. It is read again each time: `wow-ca rekey` may be another process.
/// </summary>
/// <remarks>
/// The order is for the power that may go at any time: the new key, then the notice, from when on it counts, then what was signed is signed anew (StackFolder, TermDesk),
/// whenever somebody looks.
/// </remarks>
internal sealed class StackKeyring(CaFolder ca, string folder)
{
    private const int LargestFile = 4096;
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>The notice, as ipopd takes it; not there while the CA's own key signs.</summary>
    public string NoticePath { get; } = Path.Combine(folder, "keys.notice");

    /// <summary>The keys; null while the CA's own key signs.</summary>
    /// <exception cref="InvalidDataException">The file is damaged.</exception>
    public StackKeys? Read() =>
        !File.Exists(NoticePath) ? null
            : new FileInfo(NoticePath).Length <= LargestFile
            && NoticeIssuer.TryRead(ca.Key, StackKeys.NoticeKind, RottenFile.ReadSigned(NoticePath), out ulong number, out ReadOnlySpan<byte> body)
            && StackKeys.TryRead(body, ca.Key, out StackKeys? keys) && number == (ulong)keys.Count
            ? keys
            : throw new InvalidDataException($"{NoticePath} holds no keys that this CA signed: put it back from a backup of the CA's folder, with the newest stack-N.key.");

    /// <summary>Where the private key of that number is.</summary>
    public string PathOf(int count) => Path.Combine(folder, $"stack-{count}.key");

    /// <summary>Looks for the newest key, before anything is done that ends in a signature.</summary>
    /// <exception cref="UserError">It is not here.</exception>
    public void Check()
    {
        if (Read() is { } keys)
        {
            Load(keys).Dispose();
        }
    }

    /// <summary>Signs a notice by the newest key.</summary>
    /// <exception cref="UserError">It is not here.</exception>
    public byte[] Sign(byte kind, ulong number, byte[] body)
    {
        if (Read() is not { } keys)
        {
            return NoticeIssuer.Sign(ca.Key, kind, number, body);
        }

        using ECDsa key = Load(keys);
        return NoticeIssuer.Sign(key, kind, number, body);
    }

    /// <summary>Reads a notice of this CA's folder.</summary>
    /// <param name="kind">What it has to be about.</param>
    /// <param name="file">Any bytes.</param>
    /// <param name="number">Its number.</param>
    /// <param name="body">What it says.</param>
    /// <param name="isNewest">Whether the newest key signed it, so that machines believe it.</param>
    /// <returns>Whether the CA's key or any of these signed it.</returns>
    public bool TryRead(byte kind, ReadOnlySpan<byte> file, out ulong number, out ReadOnlySpan<byte> body, out bool isNewest)
    {
        StackKeys? keys = Read();
        isNewest = true;
        foreach (ReadOnlyMemory<byte> spki in keys?.All.Reverse() ?? [])
        {
            using ECDsa key = StackKeys.Open(spki.Span)!;
            if (NoticeIssuer.TryRead(key, kind, file, out number, out body))
            {
                return true;
            }

            isNewest = false;
        }

        return NoticeIssuer.TryRead(ca.Key, kind, file, out number, out body);
    }

    /// <summary>Makes a key, and has it sign from now on.</summary>
    /// <returns>All of them.</returns>
    /// <exception cref="UserError">There are too many, or the newest is not here.</exception>
    public StackKeys Renew(DateTimeOffset now)
    {
        StackKeys? former = Read();
        if (former?.Count >= StackKeys.Most)
        {
            throw new UserError($"This pool had {StackKeys.Most} keys, its most: make a new pool with wow pool create, whose pool.conf machines take by their web page.");
        }

        using ECDsa? signer = former is null ? null : Load(former);
        using ECDsa made = Begun(PathOf((former?.Count ?? 0) + 1)) ?? ECDsa.Create(ECCurve.NamedCurves.nistP384);
        StackKeys keys = StackKeys.Add(former, signer ?? ca.Key, made);
        AtomicFile.WriteText(PathOf(keys.Count), made.ExportPkcs8PrivateKeyPem() + "\n", OwnerOnly);
        string print = Convert.ToHexStringLower(SHA256.HashData(keys.Newest.Span));
        ca.Database.Write(transaction => Audit.Append(transaction, now, "rekey", $"number={keys.Count} key={print}"));
        AtomicFile.Write(NoticePath, NoticeIssuer.Sign(ca.Key, StackKeys.NoticeKind, (ulong)keys.Count, keys.Write()), OwnerOnly);
        File.Delete(PathOf(keys.Count - 1));
        return keys;
    }

    /// <summary>
    /// The key of a run that lost the power before its notice was there; null where there is none. A disk that lost the notice later may have had machines hear of it,
    /// and they would believe no other one in its place.
    /// </summary>
    private static ECDsa? Begun(string path)
    {
        var key = ECDsa.Create();
        try
        {
            key.ImportFromPem(File.ReadAllText(path));
            if (key.KeySize == 384)
            {
                return key;
            }
        }
        catch (Exception e) when (e is IOException or CryptographicException or ArgumentException)
        {
            // There is none, or it is none.
        }

        key.Dispose();
        return null;
    }

    private ECDsa Load(StackKeys keys)
    {
        string path = PathOf(keys.Count);
        var key = ECDsa.Create();
        try
        {
            key.ImportFromPem(File.ReadAllText(path));
            if (key.ExportSubjectPublicKeyInfo().AsSpan().SequenceEqual(keys.Newest.Span))
            {
                return key;
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException)
        {
            key.Dispose();
            throw new UserError($"{path}, the key that machines believe, can't be used ({e.Message}): put it back from a backup of the CA's folder. Without it nothing can be published.");
        }

        key.Dispose();
        throw new UserError($"{path} is another key than machines believe: put it back from a backup of the CA's folder. Without it nothing can be published.");
    }
}
