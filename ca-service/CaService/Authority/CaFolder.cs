using System.Security.Cryptography;
using CertificateProfile;

namespace CaService;

/// <summary>
/// The CA's state folder: <c>ca.key</c>, <c>ca.pem</c>, <c>ca.db</c>. It is complete once <c>ca.pem</c> is there. Where the certificate was renewed
/// (<see cref="AuthorityRenewal"/>), the later one counts.
/// </summary>
internal sealed class CaFolder : IDisposable
{
    public const string DatabaseName = "ca.db";
    private const string KeyName = "ca.key";
    private const string CertificateName = "ca.pem";
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode Readable = OwnerOnly | UnixFileMode.GroupRead | UnixFileMode.OtherRead;

    private readonly string _certificatePath;
    private readonly AuthorityRenewal _renewal;
    private readonly Lock _looking = new();
    private PoolAuthority _authority;

    private CaFolder(string folder, PoolAuthority authority, ECDsa key, Database database)
    {
        _certificatePath = Path.Combine(folder, CertificateName);
        _renewal = new AuthorityRenewal(folder, key);
        _authority = authority;
        Key = key;
        Database = database;
        TicketKey = new TicketKey(key);
    }

    /// <summary>The certificate that counts now: another process may have renewed it.</summary>
    public PoolAuthority Authority
    {
        get
        {
            lock (_looking)
            {
                if (_renewal.TryFind(_authority, out PoolAuthority? newer))
                {
                    // It counts, whatever becomes of the file.
                    _authority = newer;
                    WriteCertificate(newer);
                }

                return _authority;
            }
        }
    }

    public ECDsa Key { get; }

    public Database Database { get; }

    public TicketKey TicketKey { get; }

    /// <summary>Makes a CA. An interrupted run is completed by the next one, with the same key.</summary>
    /// <exception cref="UserError">There is a CA already.</exception>
    public static CaFolder Create(string folder, PoolProfile pool, DateTimeOffset now)
    {
        string certificatePath = Path.Combine(folder, CertificateName);
        string keyPath = Path.Combine(folder, KeyName);
        if (File.Exists(certificatePath))
        {
            throw new UserError($"{certificatePath} is there already: a CA is never replaced, so give another --state folder or move that one away.");
        }

        Directory.CreateDirectory(folder, OwnerOnly | UnixFileMode.UserExecute);
        ECDsa key;
        if (File.Exists(keyPath))
        {
            key = LoadKey(keyPath);
        }
        else
        {
            key = ECDsa.Create(ECCurve.NamedCurves.nistP384);
            AtomicFile.WriteText(keyPath, key.ExportPkcs8PrivateKeyPem() + "\n", OwnerOnly);
        }

        Database database = Database.Create(Path.Combine(folder, DatabaseName));
        byte[] der = CertificateIssuer.CreateAuthority(pool, key, now);

        // Before the certificate, with which the folder is complete: a database without a line is taken for one that lost them.
        database.Write(transaction => Audit.IsBegun(transaction) || Audit.Append(transaction, now, "init", $"pool={pool.Name} subnet={pool.Subnet}"));
        AtomicFile.WriteText(certificatePath, CertificatePem.Write(der), Readable);
        return new CaFolder(folder, PoolAuthority.Load(certificatePath), key, database);
    }

    /// <summary>The notice that is the renewed certificate, and its number; 0 where it never was renewed.</summary>
    /// <exception cref="InvalidDataException">It is damaged.</exception>
    public (ulong Number, string File) AuthorityNotice() => (_renewal.Number(Authority), _renewal.NoticePath);

    /// <summary>Makes the CA's certificate anew, with the same key.</summary>
    /// <exception cref="UserError">The new one would end no later.</exception>
    /// <exception cref="IOException">The disk is full; all is as before.</exception>
    public void RenewAuthority(DateTimeOffset now)
    {
        PoolAuthority former = Authority;
        DateTimeOffset end = now + PoolProfile.AuthorityLifetime;
        if (end.ToUnixTimeSeconds() <= former.NotAfter.ToUnixTimeSeconds())
        {
            throw new UserError(
                $"This computer's clock says {now:yyyy-MM-dd} (UTC). A certificate that is made now ends at {end:u}, and the one that counts at {former.NotAfter:u}: set the clock. Nothing was changed.");
        }

        Database.Write(transaction => Audit.Append(transaction, now, "renew-authority", $"former={former.NotAfter.ToUnixTimeSeconds()}"));
        _renewal.Sign(former, now);
        _ = Authority;
    }

    /// <summary>Takes up the certificate that the pool has, if it is a later one of this CA: the folder came back from a copy that was made before it.</summary>
    /// <param name="notice">The file of a notice of kind <see cref="PoolAuthority.NoticeKind"/>.</param>
    /// <exception cref="IOException">The disk is full; all is as before.</exception>
    public bool Hear(byte[] notice)
    {
        bool isNewer = _renewal.Take(Authority, notice);
        _ = Authority;
        return isNewer;
    }

    /// <summary>Opens a CA.</summary>
    /// <exception cref="UserError">There is none.</exception>
    /// <exception cref="InvalidDataException">Its files don't belong together.</exception>
    public static CaFolder Open(string folder)
    {
        string certificatePath = Path.Combine(folder, CertificateName);
        if (!File.Exists(certificatePath))
        {
            throw new UserError($"{certificatePath} is not there: make the CA with wow-ca init, or give its folder as --state.");
        }

        PoolAuthority authority = PoolAuthority.Load(certificatePath);
        ECDsa key = LoadKey(Path.Combine(folder, KeyName));
        using (var certificate = System.Security.Cryptography.X509Certificates.X509CertificateLoader.LoadCertificate(authority.Der.Span))
        {
            if (!certificate.PublicKey.ExportSubjectPublicKeyInfo().AsSpan().SequenceEqual(key.ExportSubjectPublicKeyInfo()))
            {
                throw new InvalidDataException($"{KeyName} and {CertificateName} in {folder} are not of the same CA: put both from one copy there.");
            }
        }

        return new CaFolder(folder, authority, key, Database.Open(Path.Combine(folder, DatabaseName)));
    }

    public void Dispose()
    {
        Database.Dispose();
        Key.Dispose();
    }

    /// <summary>Has <c>ca.pem</c> follow: whoever renewed the certificate may have had no time for that. Where the disk is full, who opens the folder next does it.</summary>
    private void WriteCertificate(PoolAuthority newer)
    {
        try
        {
            AtomicFile.WriteText(_certificatePath, CertificatePem.Write(newer.Der.Span), Readable);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }

    private static ECDsa LoadKey(string path)
    {
        if (!File.Exists(path))
        {
            throw new UserError($"{path} is not there: copy the CA's key back; without it nothing can be signed.");
        }

        var key = ECDsa.Create();
        try
        {
            key.ImportFromPem(File.ReadAllText(path));
            if (key.KeySize == 384)
            {
                return key;
            }
        }
        catch (Exception e) when (e is CryptographicException or ArgumentException or PlatformNotSupportedException or IOException { HResult: RottenFile.BadSector })
        {
            key.Dispose();
            throw new InvalidDataException($"{path} holds no private key in PEM: copy the CA's key back.", e);
        }

        key.Dispose();
        throw new InvalidDataException($"{path} holds no P-384 key: copy the CA's key back.");
    }
}
