namespace Brunet;

/// <summary>A collection that nobody else can make grow: it follows from the node's own settings, its own machine, or what it does itself.</summary>
/// <param name="why">What it follows from.</param>
[AttributeUsage(AttributeTargets.Field)]
public sealed class OwnAttribute(string why) : Attribute
{
    /// <summary>What it follows from.</summary>
    public string Why => why;
}
