using CertificateProfile;

namespace CaService;

/// <summary>
/// The machines that the administrator gives no more jobs: <c>drained.notice</c> in the CA's folder, as it was signed last. A machine is its name here, for that is what
/// the negotiator knows it by.
/// </summary>
internal sealed class DrainDesk(CaFolder ca, string folder, TimeProvider time)
{
    private const int LargestFile = 1 << 17;

    /// <summary>The notice, as ipopd takes it.</summary>
    public string NoticePath { get; } = Path.Combine(folder, "drained.notice");

    /// <summary>What was signed last, with its number; 0 where nothing was.</summary>
    /// <exception cref="UserError">The file is damaged. It is not an empty list: who took it for one would free all that are drained.</exception>
    public (ulong Number, DrainedList List) Read() => Last() ?? throw new UserError(
        $"{NoticePath} is damaged, so the CA does not know which machines are drained. A running wow-ca serve takes the list that this machine's ipopd has "
        + "within seconds: try again. If nothing changes, ipopd has none: remove the file as root, and drain the machines again.");

    /// <summary>The same; null where the file is damaged.</summary>
    public (ulong Number, DrainedList List)? Last()
    {
        var file = new FileInfo(NoticePath);
        return !file.Exists ? (0, DrainedList.Empty)
            : file.Length <= LargestFile
            && NoticeIssuer.TryRead(ca.Key, DrainedList.NoticeKind, RottenFile.ReadSigned(NoticePath), out ulong number, out ReadOnlySpan<byte> body)
            && DrainedList.TryRead(body, out DrainedList? list)
            ? (number, list)
            : null;
    }

    /// <summary>Takes up a list that this CA signed before its folder came back from a copy, or its file was damaged.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="list">The list, verified.</param>
    /// <param name="notice">The notice that it came in.</param>
    /// <returns>False if it is not newer than what is here.</returns>
    /// <exception cref="IOException">The disk is full; all is as before.</exception>
    public bool Hear(ulong number, DrainedList list, byte[] notice) => Last() is not { } here || here.Number < number ? ca.Database.Write(transaction =>
    {
        if (Last() is { } other && other.Number >= number)
        {
            return false;
        }

        Audit.Append(transaction, time.GetUtcNow(), "heard", $"number={number} drained={list.Machines.Count}");
        AtomicFile.Write(NoticePath, notice, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        return true;
    }) : false;

    /// <summary>The machine that a name, an address or a serial number stands for.</summary>
    /// <exception cref="UserError">There is none that could have jobs.</exception>
    public CertificateRow Find(string target) => ca.Database.Read(transaction => Find(transaction, target, time.GetUtcNow()));

    /// <summary>Gives machines no more jobs. One that is drained stays so since it was.</summary>
    /// <param name="targets">Names, addresses or serial numbers.</param>
    /// <exception cref="UserError">One of them is no machine, or there are too many; nothing is changed then.</exception>
    public void Drain(IReadOnlyList<string> targets) => Change("drain", (transaction, list, now) =>
    {
        var hosts = targets.Select(target => Find(transaction, target, now).Host).Distinct().Except(list.Machines.Select(one => one.Host)).ToList();
        return ([.. list.Machines, .. hosts.Select(host => new DrainedMachine(host, now.ToUnixTimeSeconds()))], hosts);
    });

    /// <summary>Gives machines jobs again.</summary>
    /// <param name="hosts">Their names.</param>
    /// <exception cref="UserError">One of them is not drained; nothing is changed then.</exception>
    public void End(IReadOnlyList<string> hosts) => Change("drain-end", (_, list, _) =>
    {
        List<string> named = hosts.Select(host => host.ToLowerInvariant()).Distinct().ToList();
        return named.Find(host => list.Machines.All(one => one.Host != host)) is { } other
            ? throw new UserError($"'{other}' is no name of a drained machine: wow pool drain shows them.")
            : (list.Machines.Where(one => !named.Contains(one.Host)).ToList(), named);
    });

    private static CertificateRow Find(Transaction transaction, string target, DateTimeOffset now)
    {
        CertificateRow? machine = Revocations.Find(transaction, target).Find(row => row.Status == "valid" && row.NotAfter >= now && !Revocations.Contains(transaction, row.Serial));
        return machine is null ? throw new UserError($"'{target}' is no machine with a good certificate: wow-ca list shows names and addresses.")
            : machine.Role == MemberRole.Manager ? throw new UserError($"{machine.Host} ({machine.Address}) is a manager, which runs no jobs: there is nothing to drain.")
            : machine;
    }

    /// <summary>Within the database's lock, so that of two who change the list neither loses the other's word.</summary>
    private void Change(string name, Func<Transaction, DrainedList, DateTimeOffset, (List<DrainedMachine> Machines, List<string> Changed)> change) => ca.Database.Write(transaction =>
    {
        DateTimeOffset now = time.GetUtcNow();
        (ulong former, DrainedList list) = Read();
        (List<DrainedMachine> machines, List<string> changed) = change(transaction, list, now);
        if (changed.Count == 0)
        {
            return false;
        }

        if (!DrainedList.TryCreate([.. machines.OrderBy(one => one.Host, StringComparer.Ordinal)], out DrainedList? made, out string reason))
        {
            throw new UserError(reason);
        }

        ulong number = NoticeNumber.After(former, now);
        Audit.Append(transaction, now, name, $"number={number} hosts={string.Join(',', changed)}");
        AtomicFile.Write(NoticePath, NoticeIssuer.Sign(ca.Key, DrainedList.NoticeKind, number, made.Write()), UnixFileMode.UserRead | UnixFileMode.UserWrite);
        return true;
    });
}
