using CertificateProfile;

namespace CaService;

/// <summary>
/// Takes certificates back. A machine is its key, so all certificates of the key go, and the key never gets another. The list is in the database
/// before anybody hears of it.
/// </summary>
/// <remarks>Safe for concurrent use.</remarks>
internal sealed class RevocationDesk(CaFolder ca, TimeProvider time)
{
    /// <summary>How long a list says that it is the newest.</summary>
    internal static readonly TimeSpan Life = TimeSpan.FromDays(14);

    public PoolAuthority Authority => ca.Authority;

    /// <summary>What a revocation did.</summary>
    /// <param name="Machine">The machine's last certificate.</param>
    /// <param name="Revoked">How many certificates were taken back by this call; 0: it was done before.</param>
    /// <param name="Since">Since when the machine is revoked.</param>
    /// <param name="List">The number of the newest list.</param>
    internal sealed record Outcome(CertificateRow Machine, int Revoked, DateTimeOffset Since, ulong List);

    /// <summary>Revokes a machine.</summary>
    /// <param name="target">A certificate's serial number, or host name or address of the machine.</param>
    /// <param name="mayBeManager">Whether it may be a manager, without which nobody reaches the CA.</param>
    /// <exception cref="UserError">There is no such machine, or it is a manager, or the list is full.</exception>
    public Outcome Revoke(string target, bool mayBeManager) => ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        return Revoke(transaction, Choose(transaction, target, now), mayBeManager, now);
    });

    /// <summary>What <see cref="Revoke(string, bool)"/> would do now: the machine's last certificate, and how many would be taken back.</summary>
    /// <param name="target">As there.</param>
    /// <param name="mayBeManager">As there.</param>
    /// <exception cref="UserError">There is no such machine, or it is a manager.</exception>
    public (CertificateRow Machine, int Certificates) Look(string target, bool mayBeManager) => ca.Database.Read(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        CertificateRow machine = Choose(transaction, target, now);
        RefuseManager(machine, mayBeManager);
        return (machine, ToRevoke(transaction, machine.Key, now).Count);
    });

    /// <summary>Revokes the machine whose certificate this is, be it one that this CA does not know: it may have been made in a copy of its folder.</summary>
    /// <param name="der">Any bytes.</param>
    /// <param name="mayBeManager">Whether it may be a manager.</param>
    /// <exception cref="UserError">It is no certificate of this CA, or has ended, or it is a manager's, or the list is full.</exception>
    public Outcome RevokeHolder(byte[] der, bool mayBeManager) => ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        if (!ca.Authority.TryVerifyIgnoringTime(der, out MemberInfo? info, out string reason))
        {
            throw new UserError($"The certificate is no machine's of pool {ca.Authority.Pool.Name} ({reason}): give the node.pem of the machine.");
        }

        if (now <= info.NotAfter)
        {
            Certificates.Learn(transaction, info, der, mayDisplace: false, now);
        }

        // The machine may have later ones than this.
        CertificateRow? machine = Revocations.OfKey(transaction, NodeKey.FingerprintOf(info.PublicKey.Span)).MaxBy(row => row.NotAfter);
        return machine?.NotAfter >= now
            ? Revoke(transaction, machine, mayBeManager, now)
            : throw new UserError($"The certificate of {info.HostName} ({info.Address}) ended at {info.NotAfter:u}: there is nothing to revoke.");
    });

    /// <summary>Notes a certificate that somebody showed, if it is this CA's and has no row yet. If its machine was revoked, it goes as well.</summary>
    /// <param name="der">Any bytes.</param>
    /// <returns>What was done, for the log; null if nothing.</returns>
    /// <exception cref="UserError">It has to be revoked, and the list is full: nothing was noted.</exception>
    public string? Learn(byte[] der)
    {
        DateTimeOffset now = time.GetUtcNow();
        if (!ca.Authority.TryVerify(der, now, out MemberInfo? info, out _) || ca.Database.Read(transaction => Certificates.IsKnown(transaction, info.Serial)))
        {
            return null;
        }

        return ca.Database.Write(transaction =>
        {
            if (!Certificates.Learn(transaction, info, der, mayDisplace: false, now))
            {
                return null;
            }

            string key = NodeKey.FingerprintOf(info.PublicKey.Span);
            bool isRevoked = Revocations.OfKeyAt(transaction, key) is not null && RevokeAll(transaction, key, now) > 0;
            return $"learn serial={info.Serial} address={info.Address} host={info.HostName} role={info.Role} revoked={(isRevoked ? "yes" : "no")}";
        });
    }

    private static void RefuseManager(CertificateRow machine, bool mayBeManager)
    {
        if (machine.Role == MemberRole.Manager && !mayBeManager)
        {
            throw new UserError($"{machine.Host} ({machine.Address}) is a manager, without which no machine reaches the CA: add --manager if another one takes its place.");
        }
    }

    /// <summary>The certificates of a key that have not ended, nor were taken back.</summary>
    private static List<CertificateRow> ToRevoke(Transaction transaction, string key, DateTimeOffset now) =>
        Revocations.OfKey(transaction, key).FindAll(certificate => certificate.NotAfter >= now && !Revocations.Contains(transaction, certificate.Serial));

    private Outcome Revoke(Transaction transaction, CertificateRow machine, bool mayBeManager, DateTimeOffset now)
    {
        RefuseManager(machine, mayBeManager);
        int revoked = RevokeAll(transaction, machine.Key, now);
        return new Outcome(machine, revoked, Revocations.OfKeyAt(transaction, machine.Key)!.Value, Revocations.Newest(transaction)!.Number);
    }

    /// <summary>Revokes all certificates of a key that have not ended; how many that were.</summary>
    private int RevokeAll(Transaction transaction, string key, DateTimeOffset now)
    {
        List<CertificateRow> found = ToRevoke(transaction, key, now);
        foreach (CertificateRow certificate in found)
        {
            Revocations.Add(transaction, certificate, now);
            Audit.Append(transaction, now, "revoke", $"serial={certificate.Serial} address={certificate.Address} host={certificate.Host} key={certificate.Key}");
        }

        if (found.Count > 0)
        {
            Sign(transaction, now);
        }

        return found.Count;
    }

    /// <summary>The newest list; the first one is made if there is none, and one that is half as old as it may be is made anew.</summary>
    public Revocations.Signed Current()
    {
        DateTimeOffset now = time.GetUtcNow();
        return ca.Database.Read(Revocations.Newest) is { } newest && now - newest.MadeAt < Life / 2
            ? newest
            : ca.Database.Write(transaction => Revocations.Newest(transaction) is { } other && now - other.MadeAt < Life / 2 ? other : Sign(transaction, now));
    }

    /// <summary>The list to spread, as a file that ipopd takes; null while nothing was ever revoked.</summary>
    /// <param name="known">The number of the list that is spread already.</param>
    public (ulong Number, byte[] File)? Notice(ulong known)
    {
        if (!ca.Database.Read(Revocations.HaveBeen))
        {
            return null;
        }

        Revocations.Signed list = Current();
        return list.Number == known ? null : (list.Number, NoticeIssuer.Sign(ca.Key, RevocationListIssuer.NoticeKind, list.Number, list.Der));
    }

    private static CertificateRow Choose(Transaction transaction, string target, DateTimeOffset now)
    {
        List<CertificateRow> found = Revocations.Find(transaction, target);
        if (found.Count == 0)
        {
            throw new UserError($"'{target}' is no serial number, host name or address of a certificate: wow-ca list shows them.");
        }

        // A name or an address may have been somebody else's before; who holds it now is meant.
        CertificateRow machine = found[0];
        return machine.NotAfter >= now
            ? machine
            : throw new UserError($"The certificate of {machine.Host} ({machine.Address}) ended at {machine.NotAfter:u}: there is nothing to revoke.");
    }

    private Revocations.Signed Sign(Transaction transaction, DateTimeOffset now)
    {
        List<(string Serial, DateTimeOffset At)> revoked = Revocations.Current(transaction, now);
        if (revoked.Count > RevocationListIssuer.MaxEntries)
        {
            throw new UserError($"The list holds {RevocationListIssuer.MaxEntries} certificates, its most: revoke again when the first of them have ended.");
        }

        // The time, so that a CA that is restored from a copy still counts on from what the machines know.
        ulong number = Math.Max((Revocations.Newest(transaction)?.Number ?? 0) + 1, (ulong)now.ToUnixTimeSeconds());
        byte[] der = RevocationListIssuer.Create(ca.Authority, ca.Key, number, now, now + Life, revoked);

        // The same check that every machine will make: what it refuses must not leave.
        if (!ca.Authority.TryReadRevocations(der, out RevocationList? list, out string reason) || list.Count != revoked.Count)
        {
            throw new InvalidDataException($"The CA made a list that nobody would believe ({reason}): nothing was revoked.");
        }

        var signed = new Revocations.Signed(number, now, der);
        Revocations.Keep(transaction, signed);
        Audit.Append(transaction, now, "list", $"number={number} certificates={revoked.Count}");
        return signed;
    }
}
