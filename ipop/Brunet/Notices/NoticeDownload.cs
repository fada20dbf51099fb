using System.Security.Cryptography;
using Brunet.Addressing;

namespace Brunet.Notices;

/// <summary>A notice whose head is genuine and whose body comes in pieces, from whoever said that it has it.</summary>
internal sealed class NoticeDownload(NoticeHead head, NodeAddress limit)
{
    /// <summary>Pieces that are asked for at once.</summary>
    private const int Window = 8;

    private const int MaxSources = 8;

    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(400);

    private readonly byte[] _body = new byte[head.Size];
    private readonly TimeSpan?[] _askedAt = new TimeSpan?[(head.Size + NoticePieceMessage.PieceSize - 1) / NoticePieceMessage.PieceSize];
    private readonly bool[] _has = new bool[(head.Size + NoticePieceMessage.PieceSize - 1) / NoticePieceMessage.PieceSize];
    private readonly NodeAddress[] _askedOf = new NodeAddress[(head.Size + NoticePieceMessage.PieceSize - 1) / NoticePieceMessage.PieceSize];
    private readonly List<NodeAddress> _sources = [];
    private int _missing = (head.Size + NoticePieceMessage.PieceSize - 1) / NoticePieceMessage.PieceSize;
    private int _turn;

    public NoticeHead Head => head;

    /// <summary>Up to whom the notice is to be told on when it is whole.</summary>
    public NodeAddress Limit { get; set; } = limit;

    public bool IsWhole => _missing == 0;

    /// <summary>Whether the pieces make the body that was signed.</summary>
    public bool IsRight => SHA256.HashData(_body).AsSpan().SequenceEqual(head.Hash.Span);

    public Notice Notice => new(head.Kind, head.Number, _body, head.Signature);

    /// <summary>Somebody has it.</summary>
    public void AddSource(NodeAddress source)
    {
        if (_sources.Count < MaxSources && !_sources.Contains(source))
        {
            _sources.Add(source);
        }
    }

    /// <summary>Takes a piece from whoever was asked for it; false if it is not wanted.</summary>
    public bool Take(NodeAddress from, in NoticePieceMessage piece)
    {
        int start = piece.Piece * NoticePieceMessage.PieceSize;
        if (piece.Piece >= _has.Length || _has[piece.Piece] || _askedOf[piece.Piece] != from || piece.Bytes.Length != Math.Min(NoticePieceMessage.PieceSize, _body.Length - start))
        {
            return false;
        }

        piece.Bytes.CopyTo(_body.AsSpan(start));
        _has[piece.Piece] = true;
        _missing--;
        return true;
    }

    /// <summary>Names what is to be asked for now, and of whom: silent ones are passed over at the next turn.</summary>
    public IEnumerable<(ushort Piece, NodeAddress Source)> Due(TimeSpan now)
    {
        int open = 0;
        for (int i = 0; i < _has.Length && open < Window && _sources.Count > 0; i++)
        {
            if (_has[i])
            {
                continue;
            }

            open++;
            if (_askedAt[i] is { } asked && now - asked < Patience)
            {
                continue;
            }

            _turn += _askedAt[i] is null ? 0 : 1;
            _askedAt[i] = now;
            _askedOf[i] = _sources[_turn % _sources.Count];
            yield return ((ushort)i, _askedOf[i]);
        }
    }

    /// <summary>Begins anew: some source sent other bytes than were signed.</summary>
    public void Restart()
    {
        Array.Clear(_has);
        Array.Clear(_askedAt);
        _missing = _has.Length;
        if (_sources.Count > 1)
        {
            _sources.RemoveAt(_turn % _sources.Count);
        }
    }
}
