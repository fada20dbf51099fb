using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using CertificateProfile;
using Ipop;
using Ipop.Router;

namespace Ipopd.State;

/// <summary>The hosts of the LAN in the last run, in STATE/hosts.json: <c>{"hosts":["02:00:00:00:00:01 10.128.3.4"]}</c>. Router mode only.</summary>
internal static class HostsFile
{
    /// <summary>Longest file that is read, bytes: more than <see cref="RouterOptions.MostHosts"/> ever need.</summary>
    private const int LongestFile = 32 << 10;

    /// <summary>Reads it; empty if there is none. A damaged file is no reason not to start, and a damaged entry none to forget the others.</summary>
    internal static IReadOnlyList<KnownHost> Read(string folder)
    {
        // Asked first: in an emulated guest the first exception of a process costs a good part of a second.
        if (!File.Exists(FileName(folder)))
        {
            return [];
        }

        try
        {
            using FileStream file = File.OpenRead(FileName(folder));
            if (file.Length > LongestFile)
            {
                return [];
            }

            Contents? contents = JsonSerializer.Deserialize(file, HostsFileJson.Default.Contents);
            var hosts = new List<KnownHost>();
            foreach (string? text in contents?.Hosts ?? [])
            {
                if (TryParse(text, out KnownHost host))
                {
                    hosts.Add(host);
                }
            }

            return hosts;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or JsonException)
        {
            return [];
        }
    }

    /// <summary>Keeps them.</summary>
    /// <exception cref="IOException">The disk is full; the file is as before.</exception>
    internal static void Write(string folder, IReadOnlyList<KnownHost> hosts)
    {
        string[] lines = new string[hosts.Count];
        for (int index = 0; index < lines.Length; index++)
        {
            lines[index] = $"{hosts[index].Mac} {hosts[index].Address}";
        }

        AtomicFile.Write(
            FileName(folder), JsonSerializer.SerializeToUtf8Bytes(new Contents(lines), HostsFileJson.Default.Contents),
            UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }

    private static bool TryParse(string? text, out KnownHost host)
    {
        host = default;
        string[] parts = text?.Split(' ') ?? [];
        if (parts.Length != 2 || parts[0].Length != 17 || !IPv4Address.TryParse(parts[1], out IPv4Address address)
            || !ulong.TryParse(parts[0].Replace(":", "", StringComparison.Ordinal), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong mac)
            || new MacAddress(mac).ToString() != parts[0])
        {
            return false;
        }

        host = new KnownHost(new MacAddress(mac), address);
        return true;
    }

    private static string FileName(string folder) => Path.Combine(folder, "hosts.json");

    /// <summary>The file's one object.</summary>
    internal sealed record Contents(IReadOnlyList<string?>? Hosts);
}

/// <summary>Serialisation without reflection.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(HostsFile.Contents))]
internal sealed partial class HostsFileJson : JsonSerializerContext;
