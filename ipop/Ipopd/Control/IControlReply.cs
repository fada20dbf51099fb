using System.Text.Json;

namespace Ipopd.Control;

/// <summary>What goes out on the control socket, or a part of it. What there is, the contract says (docs/contract/control.json).</summary>
internal interface IControlReply
{
    /// <summary>Writes it as a JSON object.</summary>
    void Write(Utf8JsonWriter json);
}
