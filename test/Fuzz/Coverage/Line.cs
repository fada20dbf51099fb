namespace Fuzz.Coverage;

/// <summary>A line of the product that can be reached.</summary>
/// <param name="Type">Full name of the type in whose code it stands; nested types count as the outermost.</param>
/// <param name="File">Its source file, without folder.</param>
/// <param name="Number">In the file.</param>
internal readonly record struct Line(string Type, string File, int Number);
