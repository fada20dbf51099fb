using System.Diagnostics;
using System.Security.Cryptography;

namespace Fuzz;

/// <summary>An input that broke a rule.</summary>
/// <param name="Identity">What failures of one cause have in common.</param>
/// <param name="Detail">What happened, for people.</param>
/// <param name="Input">The input.</param>
internal sealed record Failure(string Identity, string Detail, byte[] Input)
{
    /// <summary>What an exception of a target means.</summary>
    public static Failure Of(Exception exception, byte[] input) =>
        exception is OracleException
            ? new Failure(exception.Message, $"not so: {exception.Message}", input)
            : new Failure($"{exception.GetType().Name} in {Place(exception)}", exception.ToString(), input);

    /// <summary>Saves the input and says how to run it again.</summary>
    public string Save(string target)
    {
        Directory.CreateDirectory(Clone.Failures);
        string file = Path.Combine(Clone.Failures, $"{target}-{Convert.ToHexStringLower(SHA256.HashData(Input).AsSpan(0, 6))}.bin");
        File.WriteAllBytes(file, Input);
        return $"make fuzz REPLAY={Path.GetRelativePath(Clone.Root, file)}";
    }

    private static string Place(Exception exception)
    {
        foreach (StackFrame frame in new StackTrace(exception).GetFrames())
        {
            if (frame.GetMethod() is { DeclaringType: { } type } method && type.Namespace?.StartsWith("System", StringComparison.Ordinal) != true)
            {
                return $"{type.FullName}.{method.Name}";
            }
        }

        return "the framework";
    }
}
