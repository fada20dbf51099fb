using System.Security.Cryptography;
using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Handshakes;

/// <summary>
/// Cookies, by which somebody shows that he receives what is sent to his address, before anything is kept about him (RFC 9000 section 8.1,
/// RFC 9147 section 5.1): a MAC over his endpoint and his handshake's name, keyed with a secret that changes every minute.
/// </summary>
internal sealed class HandshakeCookies(Random random)
{
    private static readonly TimeSpan Life = TimeSpan.FromMinutes(1);

    private readonly byte[] _secret = new byte[HMACSHA256.HashSizeInBytes];
    private readonly byte[] _former = new byte[HMACSHA256.HashSizeInBytes];
    private TimeSpan _until = TimeSpan.MinValue;

    /// <summary>Makes the cookie for the sender of a first frame.</summary>
    public void Make(TimeSpan now, TransportAddress source, in HandshakeFrame frame, Span<byte> cookie)
    {
        Renew(now);
        Make(_secret, source, frame, cookie);
    }

    /// <summary>Whether a first frame shows a cookie that its source got within the last minute or two.</summary>
    public bool IsGood(TimeSpan now, TransportAddress source, in HandshakeFrame frame)
    {
        if (!frame.HasCookie)
        {
            return false;
        }

        Renew(now);
        Span<byte> cookie = stackalloc byte[ProtocolConstants.CookieSize];
        Make(_secret, source, frame, cookie);
        bool isGood = CryptographicOperations.FixedTimeEquals(cookie, frame.Cookie);
        Make(_former, source, frame, cookie);
        return isGood | CryptographicOperations.FixedTimeEquals(cookie, frame.Cookie);
    }

    private static void Make(ReadOnlySpan<byte> secret, TransportAddress source, in HandshakeFrame frame, Span<byte> cookie)
    {
        Span<byte> who = stackalloc byte[TransportAddress.Size + NodeAddress.Size + 5];
        var writer = new ByteWriter(who);
        writer.Endpoint(source);
        writer.Byte((byte)source.Protocol);
        writer.Address(frame.Sender);
        writer.UInt32(frame.SenderIndex);
        Span<byte> mac = stackalloc byte[HMACSHA256.HashSizeInBytes];
        HMACSHA256.HashData(secret, who, mac);
        mac[..cookie.Length].CopyTo(cookie);
    }

    private void Renew(TimeSpan now)
    {
        if (now < _until)
        {
            return;
        }

        bool isFormerGood = _until != TimeSpan.MinValue && now < _until + Life;
        _until = now + Life;
        _secret.CopyTo(_former, 0);
        random.NextBytes(_secret);
        if (!isFormerGood)
        {
            random.NextBytes(_former);
        }
    }
}
