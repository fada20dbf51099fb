using System.Buffers.Binary;
using System.Globalization;
using System.Net.Sockets;

namespace CaService.Admin;

/// <summary>Who asks, by the kernel's word (unix(7), SO_PEERCRED).</summary>
internal static class AdminPeer
{
    private const int SolSocket = 1, PeerCredentials = 17;
    private const string Accounts = "/etc/passwd";

    /// <summary>The name of the account at the other end of a connection, its number where it has no name.</summary>
    public static string Of(Socket socket)
    {
        // struct ucred: the process, the user, the group.
        byte[] found = new byte[12];
        socket.GetRawSocketOption(SolSocket, PeerCredentials, found);
        string number = BinaryPrimitives.ReadInt32LittleEndian(found.AsSpan(4)).ToString(CultureInfo.InvariantCulture);
        return File.ReadLines(Accounts).Select(line => line.Split(':')).FirstOrDefault(fields => fields.Length > 2 && fields[2] == number)?[0] ?? number;
    }
}
