using System.Net;
using System.Security.Cryptography;
using CertificateProfile;

namespace CaService.Commands;

/// <summary><c>wow-ca manager</c> and <c>wow-ca machine</c>: make key and certificate of a manager, or of a machine whose address is assigned, without a network.</summary>
internal static class MemberCommand
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time, MemberRole role)
    {
        bool isManager = role == MemberRole.Manager;
        string folder = options.Get("out");
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        PoolProfile pool = ca.Authority.Pool;
        IPAddress? address = pool.FirstHost();
        string? text = isManager ? options.Find("address") : options.Get("address");
        if (text is not null && (!IPAddress.TryParse(text, out address) || address.ToString() != text || !pool.IsHostAddress(address)))
        {
            throw new UserError($"--address is '{text}': give a host address of {pool.Subnet}; its first and its last two are reserved.");
        }

        string host = options.Find("host") ?? (isManager ? HostLabel.Manager : HostLabel.Automatic(address!));
        if (!HostLabel.IsLegal(host) || (HostLabel.IsReserved(host, address!) && !(isManager && host == HostLabel.Manager)))
        {
            throw new UserError($"--host is '{host}': give a DNS label (a-z, 0-9, hyphen) that stands for nothing else.");
        }

        if (isManager)
        {
            // Its list comes next.
            ProvenClock.Check(ca, options, time.GetUtcNow());
        }

        // Who is refused is refused before a key is made: a folder with a key alone would stay.
        var desk = new EnrolmentDesk(ca, time);
        string path = Path.Combine(folder, FileNames.Key);
        using ECDsa? former = File.Exists(path) ? NodeKey.Load(path) : null;
        desk.CheckByHand(former?.ExportSubjectPublicKeyInfo(), address!, host);

        // The key goes to the disk first: a certificate whose key was lost would hold the address for its lifetime.
        Directory.CreateDirectory(folder);
        using ECDsa key = NodeKey.LoadOrCreate(path);
        byte[] spki = key.ExportSubjectPublicKeyInfo();
        byte[] der = desk.IssueByHand(spki, address!, host, role);
        NodeCertificateFile.Write(Path.Combine(folder, FileNames.Certificate), der);
        string node = $"{NodeKey.AddressOf(spki)}";
        reply.Say(
            $"{folder}: node.key and node.pem of {host}.{pool.Zone}, {address}, node {node}",
            json =>
            {
                json.WriteString("folder", folder);
                json.WriteString("host", host);
                json.WriteString("zone", pool.Zone);
                json.WriteString("address", address!.ToString());
                json.WriteString("node", node);
            });
        return Task.FromResult(ExitCode.Done);
    }
}
