using System.Net.Sockets;
using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Tap;

/// <summary>
/// One process at a time has a tap: one with several queues would give more of them to whoever asks. The claim is a name of the network namespace's abstract
/// sockets (unix(7)), so it is as wide as the interface's name, and goes with the process, however that ends. Every account of the machine can take such a name, a job's
/// too, and could keep ipopd from its tap for ever. So only a process of the own account counts: another one's can't attach to the tap.
/// </summary>
internal sealed class TapClaim : IDisposable
{
    private readonly Socket? _socket;

    private TapClaim(Socket? socket) => _socket = socket;

    /// <summary>Claims a tap.</summary>
    /// <exception cref="TapException">Another process of this account has it.</exception>
    internal static TapClaim Take(string tap) => Take(tap, Interop.Libc.geteuid());

    /// <summary>Claims a tap for a process of an account.</summary>
    /// <exception cref="TapException">Another process of that account has it, or of nobody knows whom.</exception>
    internal static TapClaim Take(string tap, uint account)
    {
        string name = "\0wow-tap-" + tap;
        var socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        try
        {
            socket.Bind(new UnixDomainSocketEndPoint(name));
            return new TapClaim(socket);
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            socket.Dispose();
            return UnixNames.AccountOf(name) is { } holder && holder != account ? new TapClaim(null) : throw new TapException(InUse(tap));
        }
    }

    /// <summary>What to do then.</summary>
    internal static string InUse(string tap) => $"tap {tap} is in use by another process; stop that one or set another [tap] name";

    /// <inheritdoc/>
    public void Dispose() => _socket?.Dispose();
}
