using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using Brunet.Addressing;
using Ipop.Clock;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;

namespace Ipopd.Clock;

/// <summary>
/// Asks the one time server that the configuration names. Its socket is ipopd's own, so the fence needs no rule for it, and its port is another each time.
/// </summary>
/// <param name="loop">Hands over the answers.</param>
/// <param name="host">Name or address.</param>
/// <param name="heard">Gets the present and when the node's own time was zero, by the server.</param>
internal sealed class TimeServer(PollLoop loop, string host, Action<TimeSpan, DateTimeOffset> heard) : IDisposable
{
    private const ushort Port = 123;

    /// <summary>An answer that takes longer is not exact enough to be of use.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    /// <summary>Finds the addresses of a name.</summary>
    internal Func<string, Task<IPAddress[]>> LookUp { get; init; } = Dns.GetHostAddressesAsync;

    private UdpSocket? _socket;
    private TransportAddress _asked;
    private ulong _number;
    private TimeSpan _askedAt;
    private bool _isLookingUp;

    /// <summary>Asks once more.</summary>
    internal void Ask()
    {
        if (!_isLookingUp)
        {
            _isLookingUp = true;
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
        catch (Exception exception) when (exception is SocketException or OutOfMemoryException)
        {
            // The second is what EAI_MEMORY of getaddrinfo(3) becomes.
            found = [];
        }

        loop.Post(now =>
        {
            _isLookingUp = false;
            if (found.Length > 0)
            {
                Send(now, TransportAddress.From(new IPEndPoint(found[0], Port)));
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
        if (source == _asked && roundTrip <= Patience && NtpMessage.TryRead(datagram, _number, out DateTimeOffset time))
        {
            _asked = default;
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
