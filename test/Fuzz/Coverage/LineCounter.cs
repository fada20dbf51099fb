namespace Fuzz.Coverage;

/// <summary>Which statements of the product were reached since the program began.</summary>
internal sealed class LineCounter
{
    private const string ReachedName = "Fuzz.Reached", StatementsName = "Fuzz.Statements";

    private readonly byte[] _reached;
    private readonly byte[] _before;
    private readonly Dictionary<string, (Line Line, int Index)[]> _byType;

    private LineCounter(byte[] reached, IEnumerable<(string Type, string File, int Number)> statements)
    {
        _reached = reached;
        _before = new byte[reached.Length];
        _byType = statements.Select((statement, index) => (Line: new Line(statement.Type, statement.File, statement.Number), Index: index))
            .GroupBy(statement => statement.Line.Type).ToDictionary(type => type.Key, type => type.ToArray());
    }

    /// <summary>The counter of a program whose product has probes; null elsewhere.</summary>
    public static LineCounter? Found { get; } = AppContext.GetData(ReachedName) is byte[] reached
        ? new LineCounter(reached, ((string, string, int)[])AppContext.GetData(StatementsName)!)
        : null;

    /// <summary>Statements reached since <see cref="Begin"/>: more than before, and the last input reached what none did.</summary>
    public int Count => _reached.AsSpan().Count((byte)1);

    /// <summary>Counts from nothing; what was reached until now is remembered.</summary>
    public void Begin()
    {
        for (int index = 0; index < _reached.Length; index++)
        {
            _before[index] |= _reached[index];
        }

        _reached.AsSpan().Clear();
    }

    /// <summary>Lays down the probes for the program that <see cref="ProbedContext"/> begins; its types are others, so they are told by the framework's.</summary>
    public static void Announce(byte[] reached, IEnumerable<Line> statements)
    {
        AppContext.SetData(ReachedName, reached);
        AppContext.SetData(StatementsName, statements.Select(line => (line.Type, line.File, line.Number)).ToArray());
    }

    /// <summary>The lines of these types: all, and those that were not reached. A line is reached when all its statements are.</summary>
    public (int All, List<Line> Missed) LinesOf(IEnumerable<Type> types)
    {
        List<(Line Line, bool IsReached)> lines = [.. types.SelectMany(type => _byType[type.FullName!]).GroupBy(statement => statement.Line)
            .Select(line => (line.Key, line.All(statement => (_reached[statement.Index] | _before[statement.Index]) != 0)))];
        return (lines.Count, [.. lines.Where(line => !line.IsReached).Select(line => line.Line).OrderBy(line => (line.File, line.Number))]);
    }
}
