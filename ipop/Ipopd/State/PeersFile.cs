using System.Net;
using System.Text.Json;
using System.Text.Json.Serialization;
using Brunet.Addressing;
using CertificateProfile;

namespace Ipopd.State;

/// <summary>Where members were reached in the last run, in STATE/peers.json: <c>{"peers":["udp:192.0.2.1:4433","tcp:[2001:db8::1]:443"]}</c>.</summary>
internal static class PeersFile
{
    private const string Udp = "udp:", Tcp = "tcp:";

    /// <summary>Longest file that is read, bytes: many times what is ever written.</summary>
    private const int LongestFile = 16 << 10;

    /// <summary>Reads it; empty if there is none. A damaged file is no reason not to start, and a damaged entry none to forget the others.</summary>
    internal static IReadOnlyList<TransportAddress> Read(string folder)
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

            Contents? contents = JsonSerializer.Deserialize(file, PeersFileJson.Default.Contents);
            var peers = new List<TransportAddress>();
            foreach (string? text in contents?.Peers ?? [])
            {
                if (TryParse(text) is { } peer)
                {
                    peers.Add(peer);
                }
            }

            return peers;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or JsonException)
        {
            return [];
        }
    }

    /// <summary>Keeps them, for root's eyes: they say where other people's machines are.</summary>
    /// <exception cref="IOException">The disk is full; the file is as before.</exception>
    internal static void Write(string folder, IReadOnlyList<TransportAddress> peers)
    {
        var contents = new Contents([.. peers.Select(peer => (peer.Protocol == TransportProtocol.Udp ? Udp : Tcp) + peer.ToIPEndPoint())]);
        AtomicFile.Write(
            FileName(folder), JsonSerializer.SerializeToUtf8Bytes(contents, PeersFileJson.Default.Contents), UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }

    private static TransportAddress? TryParse(string? text)
    {
        bool isTcp = text?.StartsWith(Tcp, StringComparison.Ordinal) == true;
        return (isTcp || text?.StartsWith(Udp, StringComparison.Ordinal) == true) && IPEndPoint.TryParse(text.AsSpan(Udp.Length), out IPEndPoint? endpoint)
            ? TransportAddress.From(endpoint) with { Protocol = isTcp ? TransportProtocol.Tcp : TransportProtocol.Udp }
            : null;
    }

    private static string FileName(string folder) => Path.Combine(folder, FileNames.Peers);

    /// <summary>The file's one object.</summary>
    internal sealed record Contents(IReadOnlyList<string?>? Peers);
}

/// <summary>Serialisation without reflection.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(PeersFile.Contents))]
internal sealed partial class PeersFileJson : JsonSerializerContext;
