using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using Brunet.Addressing;
using Ipop.Clock;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;
using Ipopd.Configuration;

namespace Ipopd.Clock;

/// <summary>
/// Asks the one time server that the configuration names, by the next of its addresses when one does not answer. Its socket is ipopd's own, so the fence needs no rule for it, and its port is another each time.
/// </summary>
/// <param name="loop">Hands over the answers.</param>
/// <param name="host">Name or address.</param>
/// <param name="heard">Gets the present and when the node's own time was zero, by the server.</param>
internal sealed class TimeServer(PollLoop loop, string host, Action<TimeSpan, DateTimeOffset> heard) : IDisposable
{
    /// <summary>Questions without answer in a row of which people are told: one may be lost.</summary>
    private const int Silence = 3;

    /// <summary>An answer that takes longer is not exact enough to be of use.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    /// <summary>A server that says that it is asked too often is asked so rarely at first, and half as often each time that it says so again.</summary>
    private static readonly TimeSpan FirstRest = TimeSpan.FromMinutes(2), LongestRest = TimeSpan.FromHours(1);

    /// <summary>Where it listens.</summary>
    internal ushort Port { get; init; } = 123;

    /// <summary>Finds the addresses of a name.</summary>
    internal Func<string, Task<IPAddress[]>> LookUp { get; init; } = Dns.GetHostAddressesAsync;

    private UdpSocket? _socket;
    private TransportAddress _asked;
    private ulong _number;
    private TimeSpan _askedAt;
    private bool _isLookingUp;
    private int _turn;
    private int _unanswered;
    private TimeSpan _rest;
    private TimeSpan _restsUntil;

    /// <summary>What is wrong with it, for people; null if nothing is known to be.</summary>
    internal string? Trouble => _unanswered <= Silence ? null
        // The last one is under way.
        : $"the time server {host} does not answer; look whether it is the right one in {OptionKey.TimeNtp}, and whether UDP gets to its port {Port}";

    /// <summary>Whether the server does not want to be left alone.</summary>
    internal bool MayAsk(TimeSpan now) => now >= _restsUntil;

    /// <summary>Asks once more, unless the server wants to be asked less.</summary>
    internal void Ask(TimeSpan now)
    {
        if (!_isLookingUp && MayAsk(now))
        {
            _isLookingUp = true;
            _restsUntil = now + _rest;
            _ = LookUpAsync();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Close();

    private async Task LookUpAsync()
    {
        IPAddress[] found;
        try
        {
            found = await LookUp(host).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is SocketException or OutOfMemoryException or ArgumentException)
        {
            // The second is what EAI_MEMORY of getaddrinfo(3) becomes, the third what 0.0.0.0 and :: are to it.
            found = [];
        }

        loop.Post(now =>
        {
            _isLookingUp = false;
            if (_asked != default)
            {
                _turn++;
            }

            // Until the answer is there.
            _unanswered++;
            if (found.Length > 0)
            {
                Send(now, TransportAddress.From(new IPEndPoint(found[_turn % found.Length], Port)));
            }
        });
    }

    private void Send(TimeSpan now, TransportAddress server)
    {
        Close();
        try
        {
            UdpSocket socket = UdpSocket.OpenAny(0);
            _socket = socket;
            (_asked, _askedAt, _number) = (server, now, BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong))));
            loop.Add(socket.Descriptor, then => socket.Receive(then, Receive));
            Span<byte> question = stackalloc byte[NtpMessage.Size];
            NtpMessage.Write(question, _number);
            socket.Send(server, question);
            socket.Flush();
        }
        catch (IOException)
        {
            // It is tried again by itself.
            loop.Shortages.Note(now);
        }
    }

    private void Receive(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagram)
    {
        TimeSpan roundTrip = now - _askedAt;
        if (source == _asked && NtpMessage.IsTooOften(datagram, _number))
        {
            (_asked, _unanswered) = (default, 0);
            _rest = _rest == default ? FirstRest : _rest < LongestRest / 2 ? _rest * 2 : LongestRest;
            _restsUntil = _askedAt + _rest;
        }
        else if (source == _asked && roundTrip <= Patience && NtpMessage.TryRead(datagram, _number, out DateTimeOffset time))
        {
            (_asked, _unanswered) = (default, 0);
            heard(now, time - now + (roundTrip / 2));
        }
    }

    private void Close()
    {
        if (_socket is { } socket)
        {
            loop.Remove(socket.Descriptor);
            socket.Dispose();
            _socket = null;
        }
    }
}
