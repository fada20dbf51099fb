namespace Brunet;

/// <summary>What keeps a collection small that others can make grow. Every field of collection type has this or <see cref="OwnAttribute"/>; a test sees to it.</summary>
/// <param name="by">
/// A constant of the same type, or of one around it: the most that is kept. Or a collection that is bounded itself, and has an entry for each of this one's.
/// </param>
[AttributeUsage(AttributeTargets.Field)]
public sealed class BoundedAttribute(string by) : Attribute
{
    /// <summary>The constant's or the collection's name.</summary>
    public string By => by;

    /// <summary>The type that it stands in, if it is not the field's own.</summary>
    public Type? On { get; init; }
}
