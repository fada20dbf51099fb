using System.Globalization;
using System.Text;
using CertificateProfile;
using Ipop;
using Ipop.Router;

namespace Ipopd.State;

/// <summary>The hosts of the LAN in the last run, in STATE/hosts, one a line: <c>02:00:00:00:00:01 10.128.3.4</c>. Router mode only.</summary>
internal static class HostsFile
{
    /// <summary>Longest file that is read, bytes: more than <see cref="RouterOptions.MostHosts"/> ever need.</summary>
    private const int LongestFile = 32 << 10;

    /// <summary>Reads it; empty if there is none. A damaged file is no reason not to start, and a damaged line none to forget the others.</summary>
    internal static IReadOnlyList<KnownHost> Read(string folder)
    {
        var hosts = new List<KnownHost>();
        try
        {
            var file = new FileInfo(FileName(folder));
            if (!file.Exists || file.Length > LongestFile)
            {
                return hosts;
            }

            foreach (string line in File.ReadAllLines(file.FullName))
            {
                if (TryParse(line, out KnownHost host))
                {
                    hosts.Add(host);
                }
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            hosts.Clear();
        }

        return hosts;
    }

    /// <summary>Keeps them.</summary>
    /// <exception cref="IOException">The disk is full; the file is as before.</exception>
    internal static void Write(string folder, IReadOnlyList<KnownHost> hosts)
    {
        var text = new StringBuilder();
        foreach (KnownHost host in hosts)
        {
            text.Append(host.Mac.ToString()).Append(' ').Append(host.Address.ToString()).Append('\n');
        }

        AtomicFile.Write(FileName(folder), Encoding.ASCII.GetBytes(text.ToString()), UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }

    private static bool TryParse(string line, out KnownHost host)
    {
        host = default;
        string[] parts = line.Split(' ');
        if (parts.Length != 2 || !IPv4Address.TryParse(parts[1], out IPv4Address address)
            || !ulong.TryParse(parts[0].Replace(":", "", StringComparison.Ordinal), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong mac)
            || new MacAddress(mac).ToString() != parts[0])
        {
            return false;
        }

        host = new KnownHost(new MacAddress(mac), address);
        return true;
    }

    private static string FileName(string folder) => Path.Combine(folder, FileNames.Hosts);
}
