using System.Net;
using System.Security.Cryptography;
using CertificateProfile;

namespace CaService.Commands;

/// <summary><c>wow-ca manager</c>: makes a manager's key and certificate without a network.</summary>
internal static class ManagerCommand
{
    public static int Run(string[] args, TextWriter output, TimeProvider time)
    {
        Options options = Options.Read(args, ["state", "out", "host", "address"]);
        string folder = options.Get("out");
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        PoolProfile pool = ca.Authority.Pool;
        string host = options.Find("host") ?? HostLabel.Manager;
        IPAddress? address = pool.FirstHost();
        if (options.Find("address") is string text && (!IPAddress.TryParse(text, out address) || address.ToString() != text || !pool.IsHostAddress(address)))
        {
            throw new UserError($"--address is '{text}': give a host address of {pool.Subnet}; its first and its last two are reserved.");
        }

        if (!HostLabel.IsLegal(host) || (host != HostLabel.Manager && HostLabel.IsReserved(host, address!)))
        {
            throw new UserError($"--host is '{host}': give a DNS label (a-z, 0-9, hyphen) that stands for nothing else.");
        }

        // The key goes to the disk first: a certificate whose key was lost would hold the address for its lifetime.
        Directory.CreateDirectory(folder);
        using ECDsa key = NodeKey.LoadOrCreate(Path.Combine(folder, "node.key"));
        byte[] spki = key.ExportSubjectPublicKeyInfo();
        byte[] der = new EnrolmentDesk(ca, time).IssueManager(spki, address!, host);
        NodeCertificateFile.Write(Path.Combine(folder, "node.pem"), der);
        output.WriteLine($"{folder}: node.key and node.pem of {host}.{pool.Zone}, {address}, node {NodeKey.AddressOf(spki)}");
        return 0;
    }
}
