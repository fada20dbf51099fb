using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;

namespace Ipop.Linux.Systemd;

/// <summary>
/// The protocol of sd_notify(3) and sd_listen_fds(3): tells systemd how the service is, and lets it keep a descriptor while the
/// service is away. Without systemd nothing happens.
/// </summary>
public sealed unsafe class ServiceManager : IDisposable
{
    private const int FirstDescriptor = 3;

    /// <summary>Descriptors that systemd keeps for a unit at most: far more than one that keeps its tap and sockets has.</summary>
    private const int MostDescriptors = 1024;

    private readonly Socket? _socket;

    /// <summary>Reads systemd's environment variables.</summary>
    /// <param name="environment">Such as <see cref="Environment.GetEnvironmentVariable(string)"/>.</param>
    public ServiceManager(Func<string, string?> environment)
    {
        ArgumentNullException.ThrowIfNull(environment);
        if (environment("NOTIFY_SOCKET") is { Length: > 1 } path)
        {
            // A leading @ stands for the zero byte of the abstract name space, unix(7).
            _socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            _socket.Connect(new UnixDomainSocketEndPoint(path[0] == '@' ? '\0' + path[1..] : path));
        }

        Kept = ReadKept(environment);
    }

    /// <summary>Descriptors that systemd kept for this service, by name. The caller owns them.</summary>
    public IReadOnlyList<(string Name, int Descriptor)> Kept { get; }

    /// <summary>Sends a state, such as "READY=1".</summary>
    public void Notify(string state)
    {
        try
        {
            _socket?.Send(Encoding.UTF8.GetBytes(state));
        }
        catch (SocketException)
        {
            // A service manager that went away is no reason to stop serving.
        }
    }

    /// <summary>
    /// Lets systemd keep descriptors over restarts (needs FileDescriptorStoreMax= in the unit), and nothing else under this name: a full store refuses even what it
    /// has already, and keeps for ever what has died meanwhile.
    /// </summary>
    /// <param name="name">Comes back in <see cref="Kept"/>.</param>
    /// <param name="descriptors">Stay the caller's.</param>
    public void Keep(string name, IReadOnlyList<int> descriptors)
    {
        ArgumentNullException.ThrowIfNull(descriptors);
        if (_socket is { } socket)
        {
            Notify($"FDSTOREREMOVE=1\nFDNAME={name}");
            foreach (int descriptor in descriptors)
            {
                Store(socket, name, descriptor);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _socket?.Dispose();

    private static void Store(Socket socket, string name, int descriptor)
    {
        byte[] state = Encoding.UTF8.GetBytes($"FDSTORE=1\nFDNAME={name}\nFDPOLL=0");
        Rights rights = new() { Length = 20, Level = Interop.Libc.SOL_SOCKET, Type = Interop.Libc.SCM_RIGHTS, Descriptor = descriptor };
        fixed (byte* text = state)
        {
            var vector = new Interop.Libc.iovec { iov_base = text, iov_len = (nuint)state.Length };
            var message = new Interop.Libc.msghdr
            {
                msg_iov = &vector,
                msg_iovlen = 1,
                msg_control = &rights,
                msg_controllen = (nuint)sizeof(Rights),
            };
            _ = Interop.Libc.sendmsg((int)socket.Handle, &message, 0);
        }
    }

    private static List<(string Name, int Descriptor)> ReadKept(Func<string, string?> environment)
    {
        var kept = new List<(string Name, int Descriptor)>();
        if (environment("LISTEN_PID") != Environment.ProcessId.ToString(System.Globalization.CultureInfo.InvariantCulture)
            || !Digits.TryRead(environment("LISTEN_FDS"), MostDescriptors, out ulong count))
        {
            return kept;
        }

        string[] names = (environment("LISTEN_FDNAMES") ?? string.Empty).Split(':');
        for (int index = 0; index < (int)count; index++)
        {
            const int F_SETFD = 2, FD_CLOEXEC = 1;
            _ = Interop.Libc.fcntl(FirstDescriptor + index, F_SETFD, FD_CLOEXEC);
            kept.Add((index < names.Length ? names[index] : string.Empty, FirstDescriptor + index));
        }

        return kept;
    }

    /// <summary>struct cmsghdr with one descriptor, padded as CMSG_SPACE wants it, cmsg(3).</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Rights
    {
        internal nuint Length;
        internal int Level;
        internal int Type;
        internal int Descriptor;
        internal int Padding;
    }
}
