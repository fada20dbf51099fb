using Ipop.Linux.Polling;

namespace Ipop.Linux.Clocks;

/// <summary>
/// The hypervisor's clock, which goes on while the machine sleeps or is paused: its own device (PTP of KVM, Hyper-V or VMware), to the microsecond, else the
/// battery clock (RTC) in whole seconds. A network card's PTP clock is none: it may show any time.
/// </summary>
public sealed unsafe class HostClock : IDisposable
{
    private static readonly string[] Hypervisors = ["KVM virtual PTP", "hyperv", "ptp_vmw"];

    private readonly FileDescriptor? _device;
    private readonly string _battery;

    private HostClock(FileDescriptor? device, string name, string battery) => (_device, Name, _battery) = (device, name, battery);

    /// <summary>The device, for people.</summary>
    public string Name { get; }

    /// <summary>How far a reading may be off.</summary>
    public TimeSpan Error => _device is null ? TimeSpan.FromSeconds(0.5) : TimeSpan.FromMilliseconds(1);

    /// <summary>Finds the clock; null if the machine has none, as a container.</summary>
    /// <param name="system">The kernel's file system /sys; another in tests.</param>
    public static HostClock? Find(string system = "/sys")
    {
        string battery = Path.Combine(system, "class/rtc/rtc0/since_epoch");
        if (Directory.Exists(Path.Combine(system, "class/ptp")))
        {
            foreach (string folder in Directory.GetDirectories(Path.Combine(system, "class/ptp")))
            {
                if (Hypervisors.Contains(Text(Path.Combine(folder, "clock_name"))) && OpenDevice(Path.GetFileName(folder)) is { } device)
                {
                    return new HostClock(device, Path.GetFileName(folder), battery);
                }
            }
        }

        return Text(battery) is null ? null : new HostClock(null, "rtc0", battery);
    }

    /// <summary>What it shows; null if it can't be read now.</summary>
    public DateTimeOffset? Read()
    {
        if (_device is { } device)
        {
            // Documentation/driver-api/ptp.rst, FD_TO_CLOCKID.
            Interop.Libc.timespec time;
            return Interop.Libc.clock_gettime((~device.Value << 3) | 3, &time) == 0 ? At(time.tv_sec, time.tv_nsec / 100) : null;
        }

        // It tells whole seconds that are past: on average it is half a second later.
        return Digits.TryRead(Text(_battery), long.MaxValue, out ulong seconds) ? At((long)seconds, TimeSpan.TicksPerSecond / 2) : null;
    }

    /// <inheritdoc/>
    public void Dispose() => _device?.Dispose();

    private static DateTimeOffset? At(long seconds, long ticks) =>
        seconds is > 0 and < 253402300799 ? DateTimeOffset.FromUnixTimeSeconds(seconds).AddTicks(ticks) : null;

    private static string? Text(string path)
    {
        try
        {
            return File.ReadAllText(path).Trim();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static FileDescriptor? OpenDevice(string name)
    {
        fixed (byte* path = System.Text.Encoding.UTF8.GetBytes($"/dev/{name}\0"))
        {
            var device = new FileDescriptor(Interop.Libc.open(path, Interop.Libc.O_CLOEXEC));
            if (!device.IsInvalid)
            {
                return device;
            }

            device.Dispose();
            return null;
        }
    }
}
