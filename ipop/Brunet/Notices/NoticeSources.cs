using Brunet.Addressing;

namespace Brunet.Notices;

/// <summary>
/// Who said that it has a notice. Who is no member is asked while no member said so: whoever has the pool's secret makes as many others as he likes, and honest
/// ones tell nobody. Whoever is asked and stays silent makes room for others, and may say so again; whoever alone gave bytes that nobody
/// signed is not asked again.
/// </summary>
internal sealed class NoticeSources
{
    /// <summary>Peers that are asked in turn.</summary>
    private const int MaxSources = 8;

    /// <summary>Proven liars that are remembered. With more of them the oldest is tried again.</summary>
    private const int MaxLiars = 32;

    /// <summary>Questions without answer after which a source is given up, if <see cref="Patience"/> is over, too: its link may be lossy.</summary>
    private const int MaxUnanswered = 3;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    [Bounded(nameof(MaxSources))]
    private readonly List<Source> _sources = [];

    [Bounded(nameof(MaxLiars))]
    private readonly Queue<NodeAddress> _liars = new();

    private int _turn;

    /// <summary>Whether there is nobody to ask.</summary>
    public bool IsEmpty => _sources.Count == 0;

    /// <summary>Whose turn it is.</summary>
    public NodeAddress Current => _sources[_turn].Address;

    /// <summary>Somebody has it; false if there are enough who have not been silent for long.</summary>
    public bool Add(NodeAddress address, bool isMember)
    {
        if (_liars.Contains(address) || Find(address) is not null)
        {
            return true;
        }

        if (isMember)
        {
            Remove(source => !source.IsMember);
        }
        else if (_sources.Exists(source => source.IsMember))
        {
            return true;
        }

        if (_sources.Count == MaxSources)
        {
            return false;
        }

        _sources.Add(new Source(address, isMember));
        return true;
    }

    /// <summary>The next one's turn.</summary>
    public void Turn() => _turn = (_turn + 1) % _sources.Count;

    /// <summary>A source is asked.</summary>
    public void OnAsked(TimeSpan now, NodeAddress address)
    {
        if (Find(address) is { } source)
        {
            source.SilentSince = source.Unanswered++ == 0 ? now : source.SilentSince;
        }
    }

    /// <summary>A source answered.</summary>
    public void OnAnswer(NodeAddress address)
    {
        if (Find(address) is { } source)
        {
            source.Unanswered = 0;
        }
    }

    /// <summary>Whoever alone gave what nobody signed.</summary>
    public void OnLie(NodeAddress liar)
    {
        Remove(source => source.Address == liar);
        _liars.Enqueue(liar);
        if (_liars.Count > MaxLiars)
        {
            _liars.Dequeue();
        }
    }

    /// <summary>Gives up who has been silent for too long; true if there was one.</summary>
    public bool GiveUpSilent(TimeSpan now) =>
        Remove(source => source.Unanswered >= MaxUnanswered && now - source.SilentSince >= Patience);

    private bool Remove(Predicate<Source> isOver)
    {
        bool isAny = _sources.RemoveAll(isOver) > 0;
        _turn = isAny ? 0 : _turn;
        return isAny;
    }

    private Source? Find(NodeAddress address) => _sources.Find(source => source.Address == address);

    private sealed class Source(NodeAddress address, bool isMember)
    {
        public NodeAddress Address { get; } = address;

        public bool IsMember { get; } = isMember;

        public int Unanswered { get; set; }

        /// <summary>When the first of the questions went that nothing came back for.</summary>
        public TimeSpan SilentSince { get; set; }
    }
}
