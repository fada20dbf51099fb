namespace Ipopd.Configuration;

/// <summary>One key of the configuration file. All of them stand in the contract; what is made of it is the other part of this type.</summary>
/// <param name="Section">Section, lower case.</param>
/// <param name="Name">Key, lower case.</param>
/// <param name="Default">Value if the file doesn't set it; null if it must.</param>
/// <param name="Least">Of a number: the least that it may be.</param>
/// <param name="Most">Of a number: the most.</param>
internal sealed partial record OptionKey(string Section, string Name, string? Default, ushort Least = 0, ushort Most = 0)
{
    /// <inheritdoc/>
    public override string ToString() => $"[{Section}] {Name}";
}
