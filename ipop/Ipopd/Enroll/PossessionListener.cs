using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using CertificateProfile;
using Ipop.Linux.Polling;

namespace Ipopd.Enroll;

/// <summary>Answers the CA's possession check while an enrolment runs. It signs nothing but the check's own message.</summary>
internal sealed class PossessionListener : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);
    private readonly Socket _listener;
    private readonly ECDsa _key;
    private readonly IPAddress _address;
    private readonly Thread _thread;
    private readonly ManualResetEventSlim _over = new();

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

        _thread = new Thread(Accept) { IsBackground = true, Name = "possession" };
        _thread.Start();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _over.Set();
        _thread.Join();
        _over.Dispose();
        _listener.Dispose();
    }

    // One at a time: who keeps a connection open without a word is cut off after Patience.
    private void Accept()
    {
        while (!_over.IsSet)
        {
            try
            {
                if (!_listener.Poll(Look, SelectMode.SelectRead))
                {
                    continue;
                }

                using Socket connection = _listener.Accept();
                connection.SendTimeout = (int)Patience.TotalMilliseconds;
                Answer(connection);
            }
            catch (SocketException exception)
            {
                // The other side went away; or waits, for there is no descriptor to accept it with.
                if (Shortages.IsOne(exception))
                {
                    _over.Wait(Look);
                }
            }
        }
    }

    // Bounded as a whole, also against who sends a byte now and then, and ended early with the enrolment.
    private void Answer(Socket connection)
    {
        byte[] line = new byte[Possession.ChallengeBytes];
        int length = 0;
        for (int look = 0; length < line.Length; look++)
        {
            if (_over.IsSet || look * Look >= Patience)
            {
                return;
            }

            if (!connection.Poll(Look, SelectMode.SelectRead))
            {
                continue;
            }

            int read = connection.Receive(line.AsSpan(length));
            if (read == 0)
            {
                return;
            }

            length += read;
        }

        if (Possession.TryReadChallenge(line, out string? nonce))
        {
            connection.Send(Possession.Answer(_key, nonce, _address));
        }
    }
}
