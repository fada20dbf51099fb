using System.Net;
using CertificateProfile;

namespace CaService;

/// <summary>
/// Decides who gets a certificate and signs it. Everything that counts is looked at again inside the transaction that notes the
/// new certificate, so two who ask at once can't both get an address, a name or a ticket's last use.
/// </summary>
/// <remarks>Safe for concurrent use.</remarks>
internal sealed class EnrolmentDesk(CaFolder ca, TimeProvider time)
{
    private readonly Lock _signing = new();

    public PoolAuthority Authority => ca.Authority;

    /// <summary>Looks without changing anything: what is sure to be refused, and what was granted before, needs no further check.</summary>
    /// <returns>Null if the machine may have a new certificate once it has proved that the address is its own.</returns>
    public Decision? Examine(Ask ask) => ca.Database.Read(transaction => Refusal(transaction, ask, time.GetUtcNow()));

    /// <summary>Grants or refuses. The caller has checked that the asker holds key and address.</summary>
    public Decision Decide(Ask ask) => ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        Certificates.Expire(transaction, now);
        if (Refusal(transaction, ask, now) is Decision refused)
        {
            return refused;
        }

        Learn(transaction, ask, now);
        return Reissue(transaction, ask, now) ?? Issue(transaction, ask, now);
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

    private Decision? Refusal(Transaction transaction, Ask ask, DateTimeOffset now)
    {
        CertificateRow? holder = Certificates.HolderOf(transaction, ask.Address, now);
        if (holder is not null && holder.Key != ask.Key)
        {
            return new Decision(
                EnrolmentStatus.AddressTaken, $"{ask.Address} belongs to another machine until {holder.NotAfter:u}: ask DHCP for another address.");
        }

        if (Revocations.OfKeyAt(transaction, ask.Key) is DateTimeOffset at)
        {
            return new Decision(
                EnrolmentStatus.TicketSpent, $"This machine was revoked at {at:u}: its key gets no certificate. With another key (wow reset) and a ticket it may come again.");
        }

        // Its own certificate, still valid, admits a machine: no ticket is looked at. It may be one that was made by hand in a copy of this CA's folder.
        if ((holder is not null && now <= holder.NotAfter) || ask.Old is not null)
        {
            return null;
        }

        if (ask.Ticket is null)
        {
            return new Decision(EnrolmentStatus.NotAdmitted, "A ticket is needed: put the line that wow-ca ticket printed into pool.conf, section ca, key ticket.");
        }

        return Tickets.Check(transaction, ca.TicketKey, ask.Ticket, ask.Key, now) switch
        {
            TicketState.Good => null,
            TicketState.Expired => new Decision(
                EnrolmentStatus.TicketSpent, "The ticket has expired: ask the pool's administrator for a new one (wow-ca ticket)."),
            TicketState.UsedUp => new Decision(
                EnrolmentStatus.TicketSpent, "The ticket is used up: ask the pool's administrator for a new one (wow-ca ticket)."),
            _ => new Decision(
                EnrolmentStatus.NotAdmitted, "The ticket is unknown or its secret is wrong: copy the whole line that wow-ca ticket printed."),
        };
    }

    private static Decision? Reissue(Transaction transaction, Ask ask, DateTimeOffset now) =>
        Certificates.HolderOf(transaction, ask.Address, now) is CertificateRow holder && !holder.IsDueForRenewal(now)
            ? Decision.Granted(holder.Der, $"same certificate again, host={holder.Host} serial={holder.Serial}")
            : null;

    // What was made by hand in a copy of this CA's folder, a further manager's, is a row like any other from now on: so it is renewed, and can be revoked.
    private void Learn(Transaction transaction, Ask ask, DateTimeOffset now)
    {
        if (ask.Old is { } der && Certificates.HolderOf(transaction, ask.Address, now) is null
            && ca.Authority.TryVerify(der, now, out MemberInfo? info, out _) && !Certificates.Revive(transaction, info.Serial))
        {
            Certificates.Add(transaction, info, ask.Key, null, der);
            Audit.Append(transaction, now, "learn", $"serial={info.Serial} address={info.Address} host={info.HostName} role={info.Role} key={ask.Key}");
        }
    }

    private static string ChooseName(Transaction transaction, Ask ask, CertificateRow? holder)
    {
        string? wanted = ask.WantedName;
        bool mayHave = HostLabel.IsLegal(wanted) && !HostLabel.IsReserved(wanted, ask.Address)
            && !Certificates.IsNameTaken(transaction, wanted, ask.Key);

        // A former name that somebody else has by now is a manager's, which was made in a copy of the folder.
        string? former = holder is not null && !Certificates.IsNameTaken(transaction, holder.Host, ask.Key) ? holder.Host : null;
        return mayHave ? wanted! : former ?? HostLabel.Automatic(ask.Address);
    }

    private Decision Issue(Transaction transaction, Ask ask, DateTimeOffset now)
    {
        // Reached with a holder only if it is the same key, whose certificate is due for renewal: then role and a manager's name stay.
        CertificateRow? holder = Certificates.HolderOf(transaction, ask.Address, now);
        CertificateRow? renewed = holder is not null && now <= holder.NotAfter ? holder : null;
        MemberRole role = renewed?.Role ?? MemberRole.Worker;
        string host = role == MemberRole.Manager ? renewed!.Host : ChooseName(transaction, ask, renewed);
        if (renewed is null)
        {
            Tickets.Use(transaction, ask.Ticket!, ask.Key, now);
        }

        byte[] der = Sign(transaction, ask, host, role, renewed is null ? "issue" : "renew", now);
        return Decision.Granted(der, $"{(renewed is null ? "new" : "renewed")} certificate, host={host}");
    }

    private byte[] SignByHand(Transaction transaction, Ask ask, string host, MemberRole role, string name, DateTimeOffset now)
    {
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

        return Sign(transaction, ask, host, role, name, now);
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
