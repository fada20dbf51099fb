using System.Security.Cryptography;
using Brunet.Addressing;

namespace Brunet.Notices;

/// <summary>
/// A notice whose head is genuine and whose body comes in pieces, from whoever said that it has it. If the pieces of several make no body that was
/// signed, all pieces are asked of one source at a time: so it shows who lies.
/// </summary>
internal sealed class NoticeDownload(NoticeHead head, NodeAddress limit)
{
    /// <summary>Pieces that are asked for at once.</summary>
    private const int Window = 8;

    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(400);

    /// <summary>What one source has for all pieces, when they are asked of one: who drips holds nobody up.</summary>
    private static readonly TimeSpan PatienceWithOne = TimeSpan.FromSeconds(20);

    private readonly byte[] _body = new byte[head.Size];
    private readonly Piece[] _pieces = new Piece[(head.Size + NoticePieceMessage.PieceSize - 1) / NoticePieceMessage.PieceSize];
    private readonly NoticeSources _sources = new();
    private int _missing = (head.Size + NoticePieceMessage.PieceSize - 1) / NoticePieceMessage.PieceSize;
    private bool _isOfOne;
    private TimeSpan _since;

    public NoticeHead Head => head;

    /// <summary>Up to whom the notice is to be told on when it is whole.</summary>
    public NodeAddress Limit { get; set; } = limit;

    public bool IsWhole => _missing == 0;

    /// <summary>Whether the pieces make the body that was signed.</summary>
    public bool IsRight => SHA256.HashData(_body).AsSpan().SequenceEqual(head.Hash.Span);

    public Notice Notice => new(head.Kind, head.Number, _body, head.Signature);

    /// <summary>Whether nobody is left who said to have it: then it is begun anew when somebody says so.</summary>
    public bool IsAbandoned => _sources.IsEmpty;

    /// <summary>When a piece has to be asked for again.</summary>
    public TimeSpan NextTick { get; private set; }

    /// <summary>Somebody has it; false if there are enough sources.</summary>
    public bool AddSource(NodeAddress source, bool isMember = true) => _sources.Add(source, isMember);

    /// <summary>Takes a piece from whoever was asked for it; false if it is not wanted.</summary>
    public bool Take(NodeAddress from, in NoticePieceMessage message)
    {
        int start = message.Piece * NoticePieceMessage.PieceSize;
        if (message.Piece >= _pieces.Length || message.Bytes.Length != Math.Min(NoticePieceMessage.PieceSize, _body.Length - start))
        {
            return false;
        }

        ref Piece piece = ref _pieces[message.Piece];
        if (piece.IsHere || piece.AskedAt is null || piece.Source != from)
        {
            return false;
        }

        message.Bytes.CopyTo(_body.AsSpan(start));
        piece.IsHere = true;
        _missing--;
        _sources.OnAnswer(from);
        return true;
    }

    /// <summary>Names what is to be asked for now, and of whom: silent ones are passed over at the next turn, and given up at last.</summary>
    public List<(ushort Piece, NodeAddress Source)> Due(TimeSpan now)
    {
        if (_sources.GiveUpSilent(now) && _isOfOne)
        {
            BeginOfOne(now);
        }
        else if (_isOfOne && now - _since >= PatienceWithOne && !_sources.IsEmpty)
        {
            _sources.Turn();
            BeginOfOne(now);
        }

        var due = new List<(ushort Piece, NodeAddress Source)>();
        NextTick = TimeSpan.MaxValue;
        int open = 0;
        for (int i = 0; i < _pieces.Length && open < Window && !_sources.IsEmpty; i++)
        {
            if (_pieces[i].IsHere)
            {
                continue;
            }

            open++;
            if (_pieces[i].AskedAt is not { } asked || now - asked >= Patience)
            {
                due.Add(((ushort)i, Ask(now, ref _pieces[i])));
            }

            NextTick = Moment.Earlier(_pieces[i].AskedAt!.Value + Patience, NextTick);
        }

        return due;
    }

    /// <summary>Begins anew: some source sent other bytes than were signed.</summary>
    public void Restart(TimeSpan now)
    {
        NodeAddress first = _pieces[0].Source;
        if (Array.TrueForAll(_pieces, piece => piece.Source == first))
        {
            _sources.OnLie(first);
        }

        _isOfOne = true;
        BeginOfOne(now);
    }

    private NodeAddress Ask(TimeSpan now, ref Piece piece)
    {
        if (piece.AskedAt is not null && !_isOfOne)
        {
            _sources.Turn();
        }

        piece.AskedAt = now;
        piece.Source = _sources.Current;
        _sources.OnAsked(now, piece.Source);
        return piece.Source;
    }

    private void BeginOfOne(TimeSpan now)
    {
        _since = now;
        Clear();
    }

    private void Clear()
    {
        Array.Clear(_pieces);
        _missing = _pieces.Length;
    }

    private struct Piece
    {
        public bool IsHere { get; set; }

        public TimeSpan? AskedAt { get; set; }

        /// <summary>Who was asked last; nobody else's bytes are taken.</summary>
        public NodeAddress Source { get; set; }
    }
}
