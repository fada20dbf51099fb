using System.Text.Json;
using System.Text.Json.Serialization;

namespace Ipopd.State;

/// <summary>The virtual address of the last run, in STATE/address.json: a restarted node asks for the same one.</summary>
internal static class LastAddress
{
    /// <summary>Longest file that is read, bytes: many times what is ever written.</summary>
    private const int LongestFile = 4 << 10;

    /// <summary>Reads it; null if there is none. A damaged file is no reason not to start.</summary>
    internal static IPv4Address? Read(string folder)
    {
        // Asked first: in an emulated guest the first exception of a process costs a good part of a second.
        if (!File.Exists(FileName(folder)))
        {
            return null;
        }

        try
        {
            using FileStream file = File.OpenRead(FileName(folder));
            if (file.Length > LongestFile)
            {
                return null;
            }

            Contents? contents = JsonSerializer.Deserialize(file, LastAddressJson.Default.Contents);
            return IPv4Address.TryParse(contents?.Address, out IPv4Address address) ? address : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or JsonException)
        {
            return null;
        }
    }

    /// <summary>Keeps it.</summary>
    /// <exception cref="IOException">The disk is full; the file is as before.</exception>
    internal static void Write(string folder, IPv4Address address) => StateFolder.Write(
        FileName(folder), JsonSerializer.SerializeToUtf8Bytes(new Contents(address.ToString()), LastAddressJson.Default.Contents));

    private static string FileName(string folder) => Path.Combine(folder, FileNames.LastAddress);

    /// <summary>The file's one object.</summary>
    internal sealed record Contents(string? Address);
}

/// <summary>Serialisation without reflection.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(LastAddress.Contents))]
internal sealed partial class LastAddressJson : JsonSerializerContext;
