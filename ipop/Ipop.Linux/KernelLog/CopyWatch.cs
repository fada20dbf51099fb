using System.Runtime.InteropServices;
using System.Text;
using Ipop.Linux.Polling;

namespace Ipop.Linux.KernelLog;

/// <summary>
/// Hears from the kernel that the hypervisor set this machine back to a snapshot or copied it. The driver vmgenid learns it from the VM
/// Generation ID and mixes that into the kernel's generator, which says so in the kernel's log (Linux 5.18 and newer). There is nothing else
/// to listen to: the driver's uevent was taken back before a release.
/// </summary>
public sealed unsafe class CopyWatch : IDisposable
{
    private const string Device = "/dev/kmsg";

    private const int LargestRecord = 8192;

    /// <summary>Records of the kernel itself: facility 0, eight priorities (Documentation/ABI/testing/dev-kmsg).</summary>
    private const int KernelPriorities = 8;

    private readonly FileDescriptor _log;
    private readonly byte[] _buffer = new byte[LargestRecord];

    private CopyWatch(FileDescriptor log) => _log = log;

    /// <summary>For the loop.</summary>
    public int Descriptor => _log.Value;

    private static ReadOnlySpan<byte> Words => "random: crng reseeded due to virtual machine fork"u8;

    /// <summary>Begins to listen; what was logged before is not heard.</summary>
    /// <exception cref="IOException">The log can't be read; needs CAP_SYSLOG.</exception>
    public static CopyWatch Open() => Open(Device);

    /// <summary>Listens to another log.</summary>
    internal static CopyWatch Open(string device)
    {
        FileDescriptor log;
        fixed (byte* path = Encoding.UTF8.GetBytes(device + '\0'))
        {
            log = new FileDescriptor(Interop.Libc.open(path, Interop.Libc.O_NONBLOCK | Interop.Libc.O_CLOEXEC));
        }

        if (log.IsInvalid || Interop.Libc.lseek(log.Value, 0, Interop.Libc.SEEK_END) < 0)
        {
            string why = FileDescriptor.LastError();
            log.Dispose();
            throw new IOException($"{device} can't be read ({why}), so a copy of this machine goes unnoticed for minutes; give ipopd CAP_SYSLOG");
        }

        return new CopyWatch(log);
    }

    /// <summary>Whether a record says that the machine was copied, and is the kernel's own: others can write to the log too.</summary>
    /// <param name="record">PRIORITY,SEQUENCE,TIME,FLAGS;TEXT and maybe lines of the form KEY=VALUE.</param>
    public static bool IsCopy(ReadOnlySpan<byte> record)
    {
        int comma = record.IndexOf((byte)',');
        int text = record.IndexOf((byte)';') + 1;
        return comma > 0 && text > comma
            && Digits.TryRead(Encoding.ASCII.GetString(record[..comma]), KernelPriorities - 1, out _)
            && record[text..].StartsWith(Words);
    }

    /// <summary>Reads what waits.</summary>
    /// <returns>Whether the machine was copied.</returns>
    public bool Receive()
    {
        bool isCopy = false;
        fixed (byte* buffer = _buffer)
        {
            while (true)
            {
                nint count = Interop.Libc.read(_log.Value, buffer, LargestRecord);
                if (count > 0)
                {
                    isCopy |= IsCopy(_buffer.AsSpan(0, (int)count));
                }
                else if (count == 0 || Marshal.GetLastPInvokeError() is not (Interop.Libc.EPIPE or Interop.Libc.EINTR))
                {
                    // EPIPE says once that the log ran over what was not read.
                    return isCopy;
                }
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _log.Dispose();
}
