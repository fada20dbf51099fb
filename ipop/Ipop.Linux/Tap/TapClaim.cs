using System.Net.Sockets;

namespace Ipop.Linux.Tap;

/// <summary>
/// One process at a time has a tap: one with several queues would give more of them to whoever asks. The claim is a name of the network namespace's abstract
/// sockets (unix(7)), so it is as wide as the interface's name, and goes with the process, however that ends.
/// </summary>
internal sealed class TapClaim : IDisposable
{
    private readonly Socket _socket;

    private TapClaim(Socket socket) => _socket = socket;

    /// <summary>Claims a tap.</summary>
    /// <exception cref="TapException">Another process has it.</exception>
    internal static TapClaim Take(string tap)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        try
        {
            socket.Bind(new UnixDomainSocketEndPoint("\0wow-tap-" + tap));
            return new TapClaim(socket);
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            socket.Dispose();
            throw new TapException(InUse(tap));
        }
    }

    /// <summary>What to do then.</summary>
    internal static string InUse(string tap) => $"tap {tap} is in use by another process; stop that one or set another [tap] name";

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();
}
