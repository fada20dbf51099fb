using System.Net;
using System.Net.Sockets;
using CertificateProfile;

namespace CaService.Est;

/// <summary>Asks a machine, at the address that it wants, to sign a nonce with the key that it wants certified.</summary>
internal sealed class PossessionCheck(IPAddress from, int port)
{
    /// <summary>Asks.</summary>
    /// <param name="publicKey">The key.</param>
    /// <param name="address">The machine's address.</param>
    /// <param name="timeout">How long it may take.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>Null if the answer proves key and address; else why not, one sentence.</returns>
    public async Task<string?> FindFaultAsync(ReadOnlyMemory<byte> publicKey, IPAddress address, TimeSpan timeout, CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(timeout);
        try
        {
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            socket.Bind(new IPEndPoint(from, 0));
            await socket.ConnectAsync(new IPEndPoint(address, port), limit.Token);
            string nonce = Possession.NewNonce();
            await socket.SendAsync(Possession.Challenge(nonce), limit.Token);
            ReadOnlyMemory<byte> answer = await LineReader.ReadAsync(socket, Possession.MaxAnswerBytes, limit.Token);
            return Possession.IsAnswer(publicKey.Span, nonce, address, answer.Span)
                ? null
                : $"What answers at {address}:{port} does not hold the request's key: enrol from the machine itself.";
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            return $"Nothing answered the possession check at {address}:{port} within {timeout.TotalSeconds:0} s: let that port through from the CA.";
        }
        catch (SocketException e)
        {
            return $"The possession check can't reach {address}:{port} ({e.Message}): let that port through from the CA.";
        }
    }
}
