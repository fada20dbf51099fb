using System.Net.Sockets;
using System.Text;
using Ipop.Linux.Systemd;

namespace Ipop.Linux.Tests.Systemd;

public sealed class ServiceManagerTests : IDisposable
{
    private readonly string _path = Path.Combine(Path.GetTempPath(), $"notify-{Guid.NewGuid():N}");
    private readonly Socket _systemd = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified) { ReceiveTimeout = 5000 };

    public ServiceManagerTests() => _systemd.Bind(new UnixDomainSocketEndPoint(_path));

    [Fact]
    public void States_and_kept_descriptors_reach_the_notify_socket()
    {
        using var manager = new ServiceManager(name => name == "NOTIFY_SOCKET" ? _path : null);

        manager.Notify("READY=1");
        Assert.Equal("READY=1", Receive());
        manager.Keep("tap", [0]);
        Assert.Equal("FDSTOREREMOVE=1\nFDNAME=tap", Receive());
        Assert.Equal("FDSTORE=1\nFDNAME=tap\nFDPOLL=0", Receive());
        Assert.Empty(manager.Kept);
    }

    /// <summary>systemd refuses what a full store has no room for, also what it keeps already.</summary>
    [Fact]
    public void A_store_that_is_full_of_what_was_kept_before_keeps_what_is_in_use_now()
    {
        const int Room = 3;
        using var manager = new ServiceManager(name => name == "NOTIFY_SOCKET" ? _path : null);
        int stored = 0, refused = 0;
        foreach (int[] descriptors in (int[][])[[0, 1, 2], [0, 1, 2], [1, 2]])
        {
            manager.Keep("tap", descriptors);
            while (_systemd.Poll(TimeSpan.Zero, SelectMode.SelectRead))
            {
                if (Receive().StartsWith("FDSTOREREMOVE=1", StringComparison.Ordinal))
                {
                    stored = 0;
                }
                else if (stored < Room)
                {
                    stored++;
                }
                else
                {
                    refused++;
                }
            }

            Assert.Equal((descriptors.Length, 0), (stored, refused));
        }
    }

    [Fact]
    public void Without_systemd_nothing_happens()
    {
        using var manager = new ServiceManager(_ => null);
        manager.Notify("READY=1");
        manager.Keep("tap", [0]);
        Assert.Empty(manager.Kept);
    }

    [Fact]
    public void Descriptors_of_another_process_are_not_taken()
    {
        using var manager = new ServiceManager(name => name switch
        {
            "LISTEN_PID" => "1",
            "LISTEN_FDS" => "1",
            "LISTEN_FDNAMES" => "tap",
            _ => null,
        });
        Assert.Empty(manager.Kept);
    }

    public void Dispose()
    {
        _systemd.Dispose();
        File.Delete(_path);
    }

    private string Receive()
    {
        byte[] buffer = new byte[256];
        return Encoding.UTF8.GetString(buffer, 0, _systemd.Receive(buffer));
    }
}
