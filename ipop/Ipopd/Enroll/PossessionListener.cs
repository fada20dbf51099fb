using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using CertificateProfile;

namespace Ipopd.Enroll;

/// <summary>Answers the CA's possession check while an enrolment runs. It signs nothing but the check's own message.</summary>
internal sealed class PossessionListener : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
    private readonly Socket _listener;
    private readonly ECDsa _key;
    private readonly IPAddress _address;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _loop;

    /// <summary>Listens.</summary>
    /// <param name="key">The node's key.</param>
    /// <param name="address">Its virtual address.</param>
    /// <param name="port">TCP port.</param>
    /// <exception cref="SocketException">The address is not on this machine yet, or the port is taken.</exception>
    internal PossessionListener(ECDsa key, IPAddress address, int port)
    {
        _key = key;
        _address = address;
        _listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            // Connections of an earlier try may still be in TIME_WAIT; .NET sets SO_REUSEADDR for listeners on Linux.
            _listener.Bind(new IPEndPoint(address, port));
            _listener.Listen(8);
        }
        catch
        {
            _listener.Dispose();
            throw;
        }

        _loop = AcceptAsync();
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Dispose();
        await _loop;
        _stop.Dispose();
    }

    // One at a time: who keeps a connection open without a word is cut off after Patience.
    private async Task AcceptAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                using Socket connection = await _listener.AcceptAsync(_stop.Token);
                using var limit = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
                limit.CancelAfter(Patience);
                await AnswerAsync(connection, limit.Token);
            }
            catch (Exception e) when (e is SocketException or OperationCanceledException or ObjectDisposedException)
            {
                // The other side went away, or the enrolment is over; the loop's condition tells which.
            }
        }
    }

    private async Task AnswerAsync(Socket connection, CancellationToken cancellation)
    {
        byte[] line = new byte[Possession.ChallengeBytes];
        int length = 0;
        while (length < line.Length)
        {
            int read = await connection.ReceiveAsync(line.AsMemory(length), cancellation);
            if (read == 0)
            {
                return;
            }

            length += read;
        }

        if (Possession.TryReadChallenge(line, out string? nonce))
        {
            await connection.SendAsync(Possession.Answer(_key, nonce, _address), cancellation);
        }
    }
}
