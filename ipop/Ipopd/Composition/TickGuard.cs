using static Brunet.Moment;

namespace Ipopd.Composition;

/// <summary>
/// Asks the parts of the daemon when they want to run next, and notices one that wants to run at once, again and again, and does nothing: such a fault would keep
/// a processor hot. It is put off, and named once. Only rounds count in which nothing else happened, so traffic delays nobody.
/// </summary>
/// <param name="name">Hears a part's name the first time that it is put off.</param>
/// <param name="parts">Each part's name, and when it wants to run next.</param>
internal sealed class TickGuard(Action<string> name, IReadOnlyList<(string Name, Func<TimeSpan> NextTick)> parts)
{
    /// <summary>So many rounds in a row may a part want to run at once.</summary>
    internal const int MostRounds = 64;

    /// <summary>How long a part is put off that wants more.</summary>
    internal static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(250);

    private readonly int[] _rounds = new int[parts.Count];
    private readonly bool[] _isNamed = new bool[parts.Count];

    /// <summary>When the first of the parts is to run.</summary>
    /// <param name="ranAt">When all parts ran that wanted to.</param>
    /// <param name="wasIdle">Whether nothing else happened in that round.</param>
    internal TimeSpan Next(TimeSpan ranAt, bool wasIdle)
    {
        TimeSpan next = TimeSpan.MaxValue;
        for (int part = 0; part < _rounds.Length; part++)
        {
            TimeSpan wanted = parts[part].NextTick();
            _rounds[part] = wanted <= ranAt && wasIdle ? Math.Min(_rounds[part] + 1, MostRounds) : 0;
            if (_rounds[part] == MostRounds)
            {
                PutOff(part);
                wanted = ranAt + Pause;
            }

            next = Earlier(next, wanted);
        }

        return next;
    }

    private void PutOff(int part)
    {
        if (!_isNamed[part])
        {
            _isNamed[part] = true;
            name(parts[part].Name);
        }
    }
}
