using Brunet.Addressing;

namespace Brunet.Sessions;

/// <summary>
/// Keeps a handshake from being a weapon: an endpoint that has not shown that it receives what we send to it gets no more bytes than came
/// from it (stricter than RFC 9000 section 8.1). A source address is easily forged, and a first frame that somebody recorded has a good MAC.
/// What does not come straight can't be forged by strangers and is not counted.
/// </summary>
internal sealed class AddressBudget
{
    /// <summary>Both ways that a handshake begins on, where the other end showed itself, and where it was reached before.</summary>
    private const int MaxTrusted = 4;

    [Bounded(nameof(MaxTrusted))]
    private readonly List<TransportAddress> _trusted = [];

    private TransportAddress _stranger;
    private int _left;
    private bool _isProven;
    private bool _isHeldBack;

    /// <summary>Trusts a way that the local node chose itself.</summary>
    public void Trust(Arrival way)
    {
        if (way.Kind == PathKind.Direct && _trusted.Count < MaxTrusted && !_trusted.Contains(way.Endpoint))
        {
            _trusted.Add(way.Endpoint);
        }
    }

    /// <summary>Bytes came.</summary>
    /// <param name="way">How.</param>
    /// <param name="bytes">How many.</param>
    /// <param name="isProof">
    /// Whether the frame names our random index: whoever sent it got a frame of ours. The first such endpoint is trusted; what comes later from
    /// elsewhere may be a copy.
    /// </param>
    public void Receive(Arrival way, int bytes, bool isProof)
    {
        if (way.Kind != PathKind.Direct)
        {
            return;
        }

        if (isProof && !_isProven)
        {
            _isProven = true;
            Trust(way);
        }

        if (way.Endpoint != _stranger)
        {
            (_stranger, _left) = (way.Endpoint, 0);
        }

        _left += bytes;
    }

    /// <summary>Notes that something could not go.</summary>
    public void HoldBack() => _isHeldBack = true;

    /// <summary>Whether something could not go since the last call.</summary>
    public bool TakeHeldBack()
    {
        bool wasHeldBack = _isHeldBack;
        _isHeldBack = false;
        return wasHeldBack;
    }

    /// <summary>How many bytes may go some way.</summary>
    public int Left(Arrival way) =>
        way.Kind != PathKind.Direct || _trusted.Contains(way.Endpoint) ? int.MaxValue : way.Endpoint == _stranger ? _left : 0;

    /// <summary>Bytes went.</summary>
    public void Spend(Arrival way, int bytes)
    {
        if (way.Kind == PathKind.Direct && !_trusted.Contains(way.Endpoint))
        {
            _left -= bytes;
        }
    }
}
