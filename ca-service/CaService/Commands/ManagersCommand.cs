using CertificateProfile;

namespace CaService.Commands;

/// <summary><c>wow-ca managers</c>: signs the list of the pool's managers, a notice that each ipopd spreads.</summary>
internal static class ManagersCommand
{
    private const UnixFileMode AllRead = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead;

    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        string path = options.Get("out");
        if (options.Words.Count == 0)
        {
            throw new UserError("Say which managers, the first one first: wow-ca managers HOST... --state DIR --out FILE.");
        }

        // Before the audit says that a list was signed.
        if (Directory.Exists(path) || !Directory.Exists(Path.GetDirectoryName(Path.GetFullPath(path))))
        {
            throw new UserError($"--out is '{path}': name a file, in a folder that is there.");
        }

        using CaFolder ca = CaFolder.Open(options.Get("state"));
        ManagerList list = Make(ca, options.Words, options.Find("ca") ?? options.Words[0]);

        DateTimeOffset now = time.GetUtcNow();
        ProvenClock.Check(ca, options, now);

        ulong former = Math.Max(File.Exists(path) ? NumberOf(ca, path, "out") : 0, options.Find("after") is { } newest ? NumberOf(ca, newest, "after") : 0);
        ulong number = NoticeNumber.After(former, now);
        string hosts = string.Join(',', list.Managers.Select(manager => manager.Host));
        ca.Database.Write(transaction => Audit.Append(transaction, now, "managers", $"number={number} hosts={hosts} ca={list.Authority.Host}"));
        AtomicFile.Write(path, NoticeIssuer.Sign(ca.Key, ManagerList.NoticeKind, number, list.Write()), AllRead);
        reply.Say(
            $"{path}: list {number}, {string.Join(", ", list.Managers.Select(manager => $"{manager.Host} {manager.Address}"))}; the CA is on {list.Authority.Host}",
            json =>
            {
                json.WriteString("file", path);
                json.WriteNumber("number", number);
                json.WriteStartArray("managers");
                foreach (PoolManager manager in list.Managers)
                {
                    json.WriteStartObject();
                    json.WriteString("host", manager.Host);
                    json.WriteString("address", manager.Address.ToString());
                    json.WriteBoolean("ca", manager.ServesAuthority);
                    json.WriteEndObject();
                }

                json.WriteEndArray();
            });
        return Task.FromResult(ExitCode.Done);
    }

    // Only what this CA signed counts: any other number would be anybody's, and the highest there is would end all lists.
    private static ulong NumberOf(CaFolder ca, string path, string option)
    {
        try
        {
            return NoticeIssuer.NumberOf(ca.Key, ManagerList.NoticeKind, File.ReadAllBytes(path))
                ?? throw new UserError($"{path} is no list of managers that this CA signed: name another --{option}.");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new UserError($"{path} can't be read ({e.Message}): name another --{option}.");
        }
    }

    private static ManagerList Make(CaFolder ca, IReadOnlyList<string> hosts, string authority)
    {
        if (!hosts.Contains(authority))
        {
            throw new UserError($"--ca is '{authority}', which is none of the managers: name one of them.");
        }

        var managers = ca.Database.Read(transaction => hosts.Select(host => new PoolManager(host, AddressOf(transaction, host), host == authority)).ToList());
        return ManagerList.TryCreate(ca.Authority.Pool.Subnet, managers, out ManagerList? list, out string reason) ? list : throw new UserError(reason);
    }

    // Its first certificate may be long over: later ones are made where the CA runs, and this may be a copy.
    private static IPv4Address AddressOf(Transaction transaction, string host)
    {
        CertificateRow row = Revocations.Find(transaction, host).FirstOrDefault(row => row.Role == MemberRole.Manager && row.Host == host)
            ?? throw new UserError($"'{host}' is no manager's name: make its key and certificate with wow-ca manager --host {host}.");
        if (Revocations.OfKeyAt(transaction, row.Key) is DateTimeOffset at)
        {
            throw new UserError($"The manager {host} was revoked at {at:u}: leave it out.");
        }

        return IPv4Address.TryFrom(row.Address, out IPv4Address address) ? address : default;
    }
}
