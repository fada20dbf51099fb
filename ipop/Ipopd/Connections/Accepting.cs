using System.Net.Sockets;
using Ipop.Linux.Polling;

namespace Ipopd.Connections;

/// <summary>Takes who waits at a listening socket that never blocks.</summary>
internal static class Accepting
{
    /// <summary>False if the kernel is short of what it takes. The connection is null, too, if who waited went away.</summary>
    internal static bool TryAccept(this Socket listener, out Socket? connection)
    {
        try
        {
            connection = listener.Accept();
            return true;
        }
        catch (SocketException exception)
        {
            connection = null;
            return !Shortages.IsOne(exception);
        }
    }
}
