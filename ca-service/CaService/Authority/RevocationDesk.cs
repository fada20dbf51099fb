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
    /// <param name="Revoked">How many certificates were taken back by this call; 0: it was done before, or all had ended.</param>
    /// <param name="IsNew">Whether the machine's key was good until this call.</param>
    /// <param name="WasApproved">Whether this call ended the administrator's word that admits the key without a ticket.</param>
    /// <param name="Since">Since when the machine is revoked.</param>
    /// <param name="List">The number of the newest list; 0 where there never was one.</param>
    internal sealed record Outcome(CertificateRow Machine, int Revoked, bool IsNew, bool WasApproved, DateTimeOffset Since, ulong List);

    /// <summary>Revokes a machine.</summary>
    /// <param name="target">A certificate's serial number, or host name or address of the machine.</param>
    /// <param name="mayBeManager">Whether it may be a manager, without which nobody reaches the CA.</param>
    /// <exception cref="UserError">There is no such machine, or it is a manager, or the list is full.</exception>
    public Outcome Revoke(string target, bool mayBeManager) => ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        return Revoke(transaction, Choose(transaction, target), mayBeManager, now);
    });

    /// <summary>What <see cref="Revoke(string, bool)"/> would do now: the machine's last certificate, how many would be taken back, and since when the machine is revoked, if it is.</summary>
    /// <param name="target">As there.</param>
    /// <param name="mayBeManager">As there.</param>
    /// <exception cref="UserError">There is no such machine, or it is a manager.</exception>
    public (CertificateRow Machine, int Certificates, DateTimeOffset? Since) Look(string target, bool mayBeManager) => ca.Database.Read(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        CertificateRow machine = Choose(transaction, target);
        RefuseManager(machine, mayBeManager);
        return (machine, ToRevoke(transaction, machine.Key, now).Count, Revocations.OfKeyAt(transaction, machine.Key));
    });

    /// <summary>Revokes the machine whose certificate this is, be it one that this CA does not know: it may have been made in a copy of its folder.</summary>
    /// <param name="der">Any bytes.</param>
    /// <param name="mayBeManager">Whether it may be a manager.</param>
    /// <exception cref="UserError">It is no certificate of this CA, or it is a manager's, or the list is full.</exception>
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
        string key = NodeKey.FingerprintOf(info.PublicKey.Span);
        CertificateRow machine = Revocations.OfKey(transaction, key).MaxBy(row => row.NotAfter)
            ?? new CertificateRow(info.Serial, info.Address, key, info.HostName, info.Role, info.NotBefore, info.NotAfter, "expired", der);
        return Revoke(transaction, machine, mayBeManager, now);
    });

    /// <summary>Notes a certificate that somebody showed, if it is this CA's and has no row yet. If it was revoked, its machine is; if its machine was revoked, it goes as well.</summary>
    /// <param name="der">Any bytes.</param>
    /// <returns>What was done, for the log; null if nothing.</returns>
    /// <exception cref="UserError">It has to be revoked, and the list is full: nothing was noted.</exception>
    public string? Learn(byte[] der) => ca.Authority.TryVerify(der, time.GetUtcNow(), out MemberInfo? info, out _) ? Learn(info, der) : null;

    /// <summary>The same of one that was verified just now.</summary>
    public string? Learn(MemberInfo info, byte[] der)
    {
        DateTimeOffset now = time.GetUtcNow();
        if (ca.Database.Read(transaction => Certificates.IsKnown(transaction, info.Serial)))
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
            bool isRevoked = (Revocations.OfKeyAt(transaction, key) is not null || Revocations.IsHeard(transaction, info.Serial)) && Ban(transaction, key, now).Revoked > 0;
            if (isRevoked)
            {
                Sign(transaction, now);
            }

            return $"learn serial={info.Serial} address={info.Address} host={info.HostName} role={info.Role} revoked={(isRevoked ? "yes" : "no")}";
        });
    }

    /// <summary>Takes back what this CA knows nothing of, for its folder may have come back from a copy: a certificate by its serial number, or a key.</summary>
    /// <param name="digits">The serial number, or the key's SHA-256, hexadecimal.</param>
    /// <returns>The number of the newest list; 0 where there never was one.</returns>
    /// <exception cref="UserError">It is neither, or the CA knows it, or the list is full.</exception>
    public ulong RevokeUnknown(string digits) => ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        string serial = digits.ToUpperInvariant(), key = digits.ToLowerInvariant();
        bool isKey = digits.Length == NodeKey.FingerprintDigits;
        if (!(isKey || digits.Length == CertificateIssuer.SerialDigits) || !digits.All(char.IsAsciiHexDigit))
        {
            throw new UserError(
                $"'{digits}' is neither a serial number of {CertificateIssuer.SerialDigits} hexadecimal digits nor the SHA-256 of a key, which has {NodeKey.FingerprintDigits}. "
                + $"A key by its first {NodeKey.AddressDigits}, as a machine's wow status shows it, is turned away by wow-ca deny.");
        }

        if (Certificates.IsKnown(transaction, serial) || Revocations.OfKey(transaction, key).Count > 0)
        {
            throw new UserError($"The CA knows {digits}, so the whole machine can be revoked: leave the option out, and give its name, its address or a serial number.");
        }

        if (isKey)
        {
            Ban(transaction, key, now);
        }
        else if (!Revocations.IsHeard(transaction, serial))
        {
            Revocations.Hear(transaction, serial, now + PoolProfile.LeafLifetime, now);
            Audit.Append(transaction, now, "revoke", $"serial={serial} host=unknown");
            Sign(transaction, now);
        }

        return Revocations.Newest(transaction)?.Number ?? 0;
    });

    /// <summary>
    /// Takes up a list that this CA signed before its folder came back from a copy. Whoever stands there is revoked again; a serial number of which there is no
    /// certificate here stays in the lists until none of that number can be good any more.
    /// </summary>
    /// <param name="list">The list, verified.</param>
    /// <returns>What was done, for the log; null if all of it was known.</returns>
    /// <exception cref="UserError">The list would be too long: nothing was noted.</exception>
    public string? Hear(RevocationList list)
    {
        DateTimeOffset now = time.GetUtcNow();
        bool IsNews(Transaction transaction) => (Revocations.Newest(transaction)?.Number ?? 0) < list.Number || Unknown(transaction, list).Count > 0;
        return !ca.Database.Read(IsNews) ? null : ca.Database.Write(transaction =>
        {
            List<string> unknown = Unknown(transaction, list);
            int machines = 0;
            foreach (string serial in unknown)
            {
                CertificateRow? row = Revocations.Find(transaction, serial).Find(row => row.Serial == serial);
                machines += row is not null && Ban(transaction, row.Key, now).Revoked > 0 ? 1 : 0;
                if (!Revocations.Contains(transaction, serial))
                {
                    Revocations.Hear(transaction, serial, row?.NotAfter ?? Later(list.MadeAt, now) + PoolProfile.LeafLifetime, now);
                }
            }

            if (unknown.Count > 0)
            {
                Audit.Append(transaction, now, "heard", $"number={list.Number} certificates={unknown.Count} machines={machines}");
            }

            Sign(transaction, now, list.Number);
            return unknown.Count == 0 ? null
                : $"heard revoked={unknown.Count} list={list.Number}: the pool knows more certificates to be revoked than {CaFolder.DatabaseName}, which came back from a copy; they stay revoked";
        });
    }

    private static DateTimeOffset Later(DateTimeOffset one, DateTimeOffset other) => one > other ? one : other;

    private static List<string> Unknown(Transaction transaction, RevocationList list) =>
        list.Serials.Where(serial => !Revocations.Contains(transaction, serial) && !Revocations.IsHeard(transaction, serial)).Order(StringComparer.Ordinal).ToList();

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
        bool isNew = Revocations.OfKeyAt(transaction, machine.Key) is null;
        (int revoked, bool wasApproved) = Ban(transaction, machine.Key, now);
        if (revoked > 0)
        {
            Sign(transaction, now);
        }

        return new Outcome(machine, revoked, isNew, wasApproved, Revocations.OfKeyAt(transaction, machine.Key)!.Value, Revocations.Newest(transaction)?.Number ?? 0);
    }

    /// <summary>
    /// Takes a key back: it never gets a certificate again, and all that have not ended stand in the next list. Also where all have ended: the machine would come back
    /// by a ticket, or by the administrator's word on its key.
    /// </summary>
    private static (int Revoked, bool WasApproved) Ban(Transaction transaction, string key, DateTimeOffset now)
    {
        List<CertificateRow> found = ToRevoke(transaction, key, now);
        if (Revocations.Ban(transaction, key, now) && found.Count == 0)
        {
            Audit.Append(transaction, now, "revoke", $"key={key}");
        }

        foreach (CertificateRow certificate in found)
        {
            Revocations.Add(transaction, certificate, now);
            Audit.Append(transaction, now, "revoke", $"serial={certificate.Serial} address={certificate.Address} host={certificate.Host} key={certificate.Key}");
        }

        string node = key[..NodeKey.AddressDigits];
        bool wasApproved = Admissions.Find(transaction, node)?.State == AdmissionState.Approved;
        if (wasApproved)
        {
            Admissions.Decide(transaction, node, AdmissionState.Denied, now);
        }

        return (found.Count, wasApproved);
    }

    /// <summary>
    /// The newest list; the first one is made if there is none. One that is half as old as it may be is made anew, and so is one of a clock that was ahead: machines
    /// take its time for one that has come.
    /// </summary>
    public Revocations.Signed Current()
    {
        DateTimeOffset now = time.GetUtcNow();
        bool IsGood(Revocations.Signed list) => now - list.MadeAt < Life / 2 && list.MadeAt - now <= PoolProfile.Backdate;
        return ca.Database.Read(Revocations.Newest) is { } newest && IsGood(newest)
            ? newest
            : ca.Database.Write(transaction => Revocations.Newest(transaction) is { } other && IsGood(other) ? other : Sign(transaction, now));
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

    private static CertificateRow Choose(Transaction transaction, string target)
    {
        List<CertificateRow> found = Revocations.Find(transaction, target);
        if (found.Count == 0)
        {
            throw new UserError($"'{target}' is no serial number, host name or address of a certificate: wow-ca list shows them. Of a machine that the CA has forgotten, give the serial number with --unknown.");
        }

        // A name or an address may have been somebody else's before; who holds it now is meant.
        return found[0];
    }

    private Revocations.Signed Sign(Transaction transaction, DateTimeOffset now, ulong known = 0)
    {
        List<(string Serial, DateTimeOffset At)> revoked = Revocations.Current(transaction, now);
        if (revoked.Count > RevocationListIssuer.MaxEntries)
        {
            throw new UserError($"The list holds {RevocationListIssuer.MaxEntries} certificates, its most: revoke again when the first of them have ended.");
        }

        // The time, so that a CA that is restored from a copy still counts on from what the machines know.
        ulong number = NoticeNumber.After(Math.Max(Revocations.Newest(transaction)?.Number ?? 0, known), now);
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
