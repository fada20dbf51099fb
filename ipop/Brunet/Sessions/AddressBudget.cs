using Brunet.Addressing;

namespace Brunet.Sessions;

/// <summary>
/// Keeps a handshake from being a weapon: an endpoint that has not shown that it receives what we send to it gets no more bytes than came
/// from it (stricter than RFC 9000 section 8.1). A source address is easily forged, and a first frame that somebody recorded has a good MAC.
/// </summary>
internal sealed class AddressBudget
{
    private readonly List<TransportAddress> _trusted = [];
    private TransportAddress _stranger;
    private int _left;
    private bool _isProven;
    private bool _isHeldBack;

    /// <summary>Trusts an endpoint that the local node chose itself.</summary>
    public void Trust(TransportAddress endpoint)
    {
        if (!_trusted.Contains(endpoint))
        {
            _trusted.Add(endpoint);
        }
    }

    /// <summary>Bytes came from an endpoint.</summary>
    /// <param name="endpoint">Their source.</param>
    /// <param name="bytes">How many.</param>
    /// <param name="isProof">
    /// Whether the frame names our random index: whoever sent it got a frame of ours. The first such endpoint is trusted; what comes later from
    /// elsewhere may be a copy.
    /// </param>
    public void Receive(TransportAddress endpoint, int bytes, bool isProof)
    {
        if (isProof && !_isProven)
        {
            _isProven = true;
            Trust(endpoint);
        }

        if (endpoint != _stranger)
        {
            (_stranger, _left) = (endpoint, 0);
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

    /// <summary>How many bytes may go to an endpoint.</summary>
    public int Left(TransportAddress endpoint) => _trusted.Contains(endpoint) ? int.MaxValue : endpoint == _stranger ? _left : 0;

    /// <summary>Bytes went to an endpoint.</summary>
    public void Spend(TransportAddress endpoint, int bytes)
    {
        if (!_trusted.Contains(endpoint))
        {
            _left -= bytes;
        }
    }
}
