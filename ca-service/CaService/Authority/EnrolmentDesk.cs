using System.Net;
using CertificateProfile;

namespace CaService;

/// <summary>
/// Decides who gets a certificate and signs it. Everything that counts is looked at again inside the transaction that notes the
/// new certificate, so two who ask at once can't both get an address, a name or a ticket's last use.
/// </summary>
/// <remarks>Safe for concurrent use.</remarks>
/// <param name="ca">The CA.</param>
/// <param name="time">The clock.</param>
/// <param name="listed">Whose addresses and names are kept for managers; null where no list is asked: whoever works on the folder by hand.</param>
internal sealed class EnrolmentDesk(CaFolder ca, TimeProvider time, ListedManagers? listed = null)
{
    private readonly Lock _signing = new();

    public PoolAuthority Authority => ca.Authority;

    /// <summary>Whether the machine at an address has a certificate for it that is not taken back.</summary>
    public bool IsMember(IPAddress address) => ca.Database.Read(transaction =>
        Certificates.HolderOf(transaction, address.MapToIPv4(), time.GetUtcNow()) is { } holder && Revocations.OfKeyAt(transaction, holder.Key) is null);

    /// <summary>Whether a certificate that a machine at an address showed is good for it, and not taken back.</summary>
    /// <param name="shown">What it says; it is this CA's, and valid.</param>
    /// <param name="address">Where it asks from.</param>
    public bool IsMember(MemberInfo shown, IPAddress address) => shown.Address.Equals(address)
        && ca.Database.Read(transaction => Revocations.OfKeyAt(transaction, NodeKey.FingerprintOf(shown.PublicKey.Span)) is null && !Revocations.IsHeard(transaction, shown.Serial));

    /// <summary>Looks without changing anything: what is sure to be refused, and who waits and was noted, needs no further check.</summary>
    /// <returns>Null if the machine may have a new certificate, or a place among those who wait, once it has proved that the address is its own.</returns>
    public Decision? Examine(Ask ask) => !TryList(out ManagerList? managers) ? Unlisted : ca.Database.Read(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        Decision? refused = Refusal(transaction, ask, managers, now);
        return refused?.Status == EnrolmentStatus.Waiting && !Admission.IsNoted(transaction, ask, now) ? null : refused;
    });

    /// <summary>Grants or refuses. The caller has checked that the asker holds key and address.</summary>
    public Decision Decide(Ask ask) => !TryList(out ManagerList? managers) ? Unlisted : ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        Certificates.Expire(transaction, now);
        if (Refusal(transaction, ask, managers, now) is Decision refused)
        {
            return refused.Status == EnrolmentStatus.Waiting ? Admission.Note(transaction, ca.TicketKey, ask, refused, now) : refused;
        }

        Learn(transaction, ask, managers, now);
        return Reissue(transaction, ask, now) ?? Issue(transaction, ask, managers, now);
    });

    /// <summary>Looks whether <see cref="IssueByHand"/> would make one, before a key is made for it.</summary>
    /// <param name="publicKey">The key that is there; empty where one will be made.</param>
    /// <param name="address">As there.</param>
    /// <param name="host">As there.</param>
    /// <exception cref="UserError">It would not.</exception>
    public void CheckByHand(ReadOnlyMemory<byte> publicKey, IPAddress address, string host) => ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        Certificates.Expire(transaction, now);
        RefuseByHand(transaction, new Ask(publicKey, address, host, null), host, now);
        return true;
    });

    /// <summary>Makes a certificate by hand, a manager's or one for an address that is assigned: the operator, who holds the CA's folder, needs no ticket and proves no address.</summary>
    /// <returns>The certificate in DER.</returns>
    /// <exception cref="UserError">Address or name can't be had.</exception>
    public byte[] IssueByHand(ReadOnlyMemory<byte> publicKey, IPAddress address, string host, MemberRole role) => ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        var ask = new Ask(publicKey, address, host, null);
        Certificates.Expire(transaction, now);
        return SignByHand(transaction, ask, host, role, role == MemberRole.Manager ? "manager" : "machine", now);
    });

    /// <summary>Renews a manager's certificate, even an expired one, for the same key, address and name.</summary>
    /// <param name="old">DER.</param>
    /// <returns>The new one, or null while the old one has more than a third of its life left.</returns>
    /// <exception cref="UserError">It is no manager's of this CA, its key was revoked, or address or name are another's by now.</exception>
    public byte[]? RenewManager(ReadOnlyMemory<byte> old) => ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        Certificates.Expire(transaction, now);
        if (!ca.Authority.TryVerifyIgnoringTime(old.Span, out MemberInfo? info, out string reason) || info.Role != MemberRole.Manager)
        {
            throw new UserError($"The certificate is no manager's of this pool ({reason}): make one with wow-ca manager --out FOLDER.");
        }

        if (now <= info.NotAfter)
        {
            Certificates.Learn(transaction, info, old.ToArray(), mayDisplace: false, now);
        }

        if (!info.IsDueForRenewal(now))
        {
            return null;
        }

        // One that was signed before and never came to the disk is given again.
        var ask = new Ask(info.PublicKey, info.Address, info.HostName, null);
        return Certificates.HolderOf(transaction, ask.Address, now) is CertificateRow held && held.Key == ask.Key && !held.IsDueForRenewal(now)
            ? held.Der
            : SignByHand(transaction, ask, info.HostName, MemberRole.Manager, "renew", now);
    });

    private static Decision Unlisted { get; } =
        new(EnrolmentStatus.Busy, "The CA can't read its list of managers, so it signs nothing for now: its log says why.");

    /// <summary>The list of managers, null where there is none; false if it can't be read.</summary>
    private bool TryList(out ManagerList? managers)
    {
        managers = null;
        return listed is null || listed.TryGet(out managers);
    }

    /// <summary>Nothing lasts longer than the CA's own certificate, so after its end nothing can be signed.</summary>
    private Decision? Ended(DateTimeOffset now) => now <= ca.Authority.NotAfter ? null : new Decision(
        EnrolmentStatus.Busy, $"The CA's own certificate ended at {ca.Authority.NotAfter:u}, so it signs nothing: the pool's administrator types wow-ca renew-authority.");

    private Decision? Refusal(Transaction transaction, Ask ask, ManagerList? managers, DateTimeOffset now)
    {
        if (Ended(now) is { } ended)
        {
            return ended;
        }

        CertificateRow? holder = Certificates.HolderOf(transaction, ask.Address, now);
        MemberInfo? own = OwnOf(ask, holder, now);
        PoolManager? manager = ManagerAt(managers, ask.Address);
        bool isTheManager = own is not null && IsHolder(manager, own);
        if (manager is not null && !isTheManager)
        {
            return new Decision(
                EnrolmentStatus.AddressTaken, $"{ask.Address} is kept for the manager {manager.Host}, who shows its certificate: ask DHCP for another address.");
        }

        if (holder is not null && holder.Key != ask.Key && !isTheManager)
        {
            return new Decision(
                EnrolmentStatus.AddressTaken, $"{ask.Address} belongs to another machine until {holder.NotAfter:u}: ask DHCP for another address.");
        }

        if (own is { Role: MemberRole.Manager } && managers?.Named(own.HostName) is { } namesake && !IsHolder(namesake, own))
        {
            return new Decision(
                EnrolmentStatus.NotAdmitted, $"The name {own.HostName} is by now that of the manager at {namesake.Address}: this certificate is not renewed.");
        }

        if (Revocations.OfKeyAt(transaction, ask.Key) is DateTimeOffset at)
        {
            return new Decision(
                EnrolmentStatus.TicketSpent, $"This machine was revoked at {at:u}: its key gets no certificate. With another key (wow reset) {Admission.WayIn(transaction)} it may come again.");
        }

        // Its own certificate, still valid, admits a machine: nothing else is looked at. It may be one that was made by hand in a copy of this CA's folder.
        return own is not null ? null : Admission.Refusal(transaction, ca.TicketKey, ask, now) ?? Full(transaction, ask, now);
    }

    private static Decision? Full(Transaction transaction, Ask ask, DateTimeOffset now) => Certificates.FullUntil(transaction, ask.Key, now) is DateTimeOffset end
        ? new Decision(
            EnrolmentStatus.TicketSpent,
            $"This machine's key has certificates of {Certificates.MostAddresses} addresses and gets no other before {end:u}. With another key (wow reset) {Admission.WayIn(transaction)} it may come sooner.")
        : null;

    private static Decision? Reissue(Transaction transaction, Ask ask, DateTimeOffset now) =>
        Certificates.HolderOf(transaction, ask.Address, now) is CertificateRow holder && !holder.IsDueForRenewal(now)
            ? Decision.Granted(holder.Der, $"same certificate again, host={holder.Host} serial={holder.Serial}")
            : null;

    /// <summary>The certificate by which a machine is what it is: the one that it shows, or the one that it has here, the later of two; null if it has none that is valid.</summary>
    private MemberInfo? OwnOf(Ask ask, CertificateRow? holder, DateTimeOffset now)
    {
        MemberInfo? shown = ShownBy(ask, now);
        return holder is null || holder.Key != ask.Key || now > holder.NotAfter || holder.NotBefore < shown?.NotBefore
            || !ca.Authority.TryVerifyIgnoringTime(holder.Der, out MemberInfo? held, out _) ? shown : held;
    }

    private MemberInfo? ShownBy(Ask ask, DateTimeOffset now) =>
        ask.Old is { } old && ca.Authority.TryVerify(old, now, out MemberInfo? info, out _)
            && info.Address.Equals(ask.Address) && info.PublicKey.Span.SequenceEqual(ask.PublicKey.Span) ? info : null;

    private static PoolManager? ManagerAt(ManagerList? managers, IPAddress address) =>
        IPv4Address.TryFrom(address, out IPv4Address at) ? managers?.At(at) : null;

    private static bool IsHolder(PoolManager? manager, MemberInfo info) =>
        IPv4Address.TryFrom(info.Address, out IPv4Address at) && manager?.IsHolder(info.HostName, at, info.Role == MemberRole.Manager) == true;

    // What was made by hand in a copy of this CA's folder is a row like any other from now on: so it is renewed, and can be revoked. A listed manager proved
    // that it has its address, so it takes that even from who enrolled there before the list.
    private void Learn(Transaction transaction, Ask ask, ManagerList? managers, DateTimeOffset now)
    {
        if (ShownBy(ask, now) is { } info)
        {
            Certificates.Learn(transaction, info, ask.Old!, IsHolder(ManagerAt(managers, ask.Address), info), now);
        }
    }

    private static string ChooseName(Transaction transaction, Ask ask, ManagerList? managers, CertificateRow? holder)
    {
        bool IsFree(string name) => managers?.Named(name) is null && !Certificates.IsNameTaken(transaction, name, ask.Key);

        // A former name that somebody else has by now is a manager's, which was made in a copy of the folder.
        string? wanted = ask.WantedName;
        bool mayHave = HostLabel.IsLegal(wanted) && !HostLabel.IsReserved(wanted, ask.Address) && IsFree(wanted);
        string? former = holder is not null && IsFree(holder.Host) ? holder.Host : null;
        return mayHave ? wanted! : former ?? HostLabel.Automatic(ask.Address);
    }

    private Decision Issue(Transaction transaction, Ask ask, ManagerList? managers, DateTimeOffset now)
    {
        // Reached with a holder only if it is the same key, whose certificate is due for renewal: then role and a manager's name stay.
        CertificateRow? holder = Certificates.HolderOf(transaction, ask.Address, now);
        CertificateRow? renewed = holder is not null && now <= holder.NotAfter ? holder : null;
        MemberRole role = renewed?.Role ?? MemberRole.Worker;
        string host = role == MemberRole.Manager ? renewed!.Host : ChooseName(transaction, ask, managers, renewed);
        if (renewed is null && Admission.IsApproved(transaction, ask))
        {
            // It may have shown any text for a ticket.
            ask = ask with { Ticket = null };
        }
        else if (renewed is null)
        {
            Tickets.Use(transaction, ask.Ticket!, ask.Key, now);
        }

        byte[] der = Sign(transaction, ask, host, role, renewed is null ? "issue" : "renew", now);
        return Decision.Granted(der, $"{(renewed is null ? "new" : "renewed")} certificate, host={host}");
    }

    private byte[] SignByHand(Transaction transaction, Ask ask, string host, MemberRole role, string name, DateTimeOffset now)
    {
        RefuseByHand(transaction, ask, host, now);
        return Sign(transaction, ask, host, role, name, now);
    }

    private void RefuseByHand(Transaction transaction, Ask ask, string host, DateTimeOffset now)
    {
        if (Ended(now) is { } ended)
        {
            throw new UserError(ended.Text);
        }

        if (Certificates.HolderOf(transaction, ask.Address, now) is CertificateRow holder && holder.Key != ask.Key)
        {
            throw new UserError($"{ask.Address} belongs to {holder.Host} until {holder.NotAfter:u}: give another --address.");
        }

        if (Revocations.OfKeyAt(transaction, ask.Key) is DateTimeOffset at)
        {
            throw new UserError($"The key in node.key was revoked at {at:u}: give another --out folder, so that a new key is made.");
        }

        if (Certificates.IsNameTaken(transaction, host, ask.Key))
        {
            throw new UserError($"The name {host} belongs to another machine: give another --host.");
        }
    }

    private byte[] Sign(Transaction transaction, Ask ask, string host, MemberRole role, string name, DateTimeOffset now)
    {
        byte[] der;
        lock (_signing)
        {
            der = CertificateIssuer.CreateMember(ca.Authority, ca.Key, ask.PublicKey.Span, ask.Address, host, role, now);
        }

        // The same check that every peer will make: what it refuses must not leave.
        if (!ca.Authority.TryVerifyIgnoringTime(der, out MemberInfo? info, out string reason))
        {
            throw new InvalidDataException($"The CA made a certificate that nobody would believe ({reason}): nothing was issued.");
        }

        string? ticket = ask.Ticket is null ? null : Ticket.IdOf(ask.Ticket);
        Certificates.Add(transaction, info, ask.Key, ticket, der);
        Audit.Append(transaction, now, name, $"serial={info.Serial} address={info.Address} host={host} role={role} key={ask.Key} ticket={ticket ?? "none"}");
        return der;
    }
}
