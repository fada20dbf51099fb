// Made of docs/contract/control.json by `test/figures --write`; a test fails where they differ.
#nullable enable
using System.Text.Json;

namespace Ipopd.Control;

internal sealed partial record ControlRequest
{
    /// <summary>What is asked; null if the line does not say.</summary>
    internal string? Command { get; private set; }

    /// <summary>A virtual address, a host name, a node's ring address, or 8 and more first digits of a known peer's.</summary>
    internal string? Target { get; private set; }

    /// <summary>How long to wait for the answer.</summary>
    internal long? TimeoutMs { get; private set; }

    /// <summary>Whether the way over the ring is wanted even if packets go another.</summary>
    internal bool? Ring { get; private set; }

    /// <summary>A host, with the zone or without.</summary>
    internal string? Name { get; private set; }

    /// <summary>The refused one.</summary>
    internal string? Address { get; private set; }

    /// <summary>Where the notice is.</summary>
    internal string? File { get; private set; }

    /// <summary>Thousands of bytes a second by UDP and TCP, with the headers of IP; 0 for no limit.</summary>
    internal long? Speed { get; private set; }

    /// <summary>What TimeoutMs is at least, at most, and if the line does not say.</summary>
    internal const long LeastTimeoutMs = 1, MostTimeoutMs = 60000, UsualTimeoutMs = 5000;

    /// <summary>What Speed is at least, at most, and if the line does not say.</summary>
    internal const long LeastSpeed = 0, MostSpeed = 1000000, UsualSpeed = 0;

    /// <summary>Every request, with who may make it.</summary>
    internal static IReadOnlyList<ControlRequestKind> Kinds { get; } =
    [
        new(ControlCommand.Status, ControlRight.Read),
        new(ControlCommand.Peers, ControlRight.Read),
        new(ControlCommand.Ping, ControlRight.Read),
        new(ControlCommand.Trace, ControlRight.Read),
        new(ControlCommand.Metrics, ControlRight.Read),
        new(ControlCommand.Resolve, ControlRight.Read),
        new(ControlCommand.Reload, ControlRight.Change),
        new(ControlCommand.RefuseAddress, ControlRight.Change),
        new(ControlCommand.PublishNotice, ControlRight.Change),
        new(ControlCommand.Limit, ControlRight.Change),
        new(ControlCommand.Stop, ControlRight.Change),
    ];

    /// <summary>Takes the value of the name at which the reader stands, if it is a field's; else passes it over.</summary>
    /// <exception cref="JsonException">It is of another type.</exception>
    private void Take(ref Utf8JsonReader json)
    {
        if (json.ValueTextEquals("command"u8))
        {
            Command = ReadString(ref json);
        }
        else if (json.ValueTextEquals("target"u8))
        {
            Target = ReadString(ref json);
        }
        else if (json.ValueTextEquals("timeout_ms"u8))
        {
            TimeoutMs = ReadInteger(ref json);
        }
        else if (json.ValueTextEquals("ring"u8))
        {
            Ring = ReadBoolean(ref json);
        }
        else if (json.ValueTextEquals("name"u8))
        {
            Name = ReadString(ref json);
        }
        else if (json.ValueTextEquals("address"u8))
        {
            Address = ReadString(ref json);
        }
        else if (json.ValueTextEquals("file"u8))
        {
            File = ReadString(ref json);
        }
        else if (json.ValueTextEquals("speed"u8))
        {
            Speed = ReadInteger(ref json);
        }
        else
        {
            json.Skip();
        }
    }
}
