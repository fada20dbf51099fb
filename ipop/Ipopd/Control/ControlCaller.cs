using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ipopd.Control;

/// <summary>Who is at the other end of a control connection, by the kernel's word when it connected (SO_PEERCRED, unix(7)).</summary>
/// <param name="User">Its user id.</param>
internal readonly record struct ControlCaller(uint User)
{
    private const int SolSocket = 1, SoPeerCred = 17;

    /// <summary>Bytes of the kernel's struct ucred: process, user, group.</summary>
    private const int CredentialSize = 12, UserAt = 4;

    private const uint Root = 0;

    /// <summary>Whether it may change what the daemon does: root, as whom the node's own units run, or who runs the daemon.</summary>
    /// <param name="daemon">Who runs the daemon.</param>
    internal bool MayChange(ControlCaller daemon) => User == Root || User == daemon.User;

    /// <summary>Asks the kernel. Of a listening socket it names who listens.</summary>
    /// <exception cref="SocketException">The kernel does not say.</exception>
    internal static ControlCaller Of(Socket socket)
    {
        Span<byte> credential = stackalloc byte[CredentialSize];
        int length = socket.GetRawSocketOption(SolSocket, SoPeerCred, credential);
        return length == CredentialSize
            ? new ControlCaller(MemoryMarshal.Read<uint>(credential[UserAt..]))
            : throw new SocketException((int)SocketError.ProtocolOption);
    }
}
