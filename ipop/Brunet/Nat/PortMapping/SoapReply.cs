using PoolRules;

namespace Brunet.Nat.PortMapping;

/// <summary>What a gateway answers to a call: values by name, or an error's number.</summary>
/// <param name="Values">The arguments out.</param>
/// <param name="Error">UPnP's error code, 0 for none.</param>
internal sealed record SoapReply(IReadOnlyDictionary<string, string> Values, int Error)
{
    /// <summary>WANIPConnection: the outside port is another machine's.</summary>
    public const int Conflict = 718;

    /// <summary>WANIPConnection:1: no lease but for ever.</summary>
    public const int OnlyPermanentLeases = 725;

    private const int MostValues = 16;

    /// <summary>Reads an HTTP reply; null if it is none, or not of SOAP.</summary>
    public static SoapReply? Read(ReadOnlyMemory<byte> bytes)
    {
        if (HttpReply.Read(bytes) is not { } http)
        {
            return null;
        }

        var values = new Dictionary<string, string>(StringComparer.Ordinal);
        if (!PlainXml.Read(http.Body, (name, value) =>
        {
            if (value is not null && values.Count < MostValues)
            {
                values.TryAdd(name, value);
            }
        }))
        {
            return null;
        }

        ulong error = 0;
        if (values.TryGetValue("errorCode", out string? text) && !Digits.TryRead(text, int.MaxValue, out error))
        {
            return null;
        }

        // A fault comes with status 500; a gateway that refuses otherwise has an error too.
        return http.Status == 200 || error != 0 ? new SoapReply(values, (int)error) : null;
    }

    /// <summary>A port among the values, 0 if there is none.</summary>
    public ushort Port(string name) =>
        Values.TryGetValue(name, out string? text) && Digits.TryRead(text, ushort.MaxValue, out ulong port) ? (ushort)port : (ushort)0;
}
