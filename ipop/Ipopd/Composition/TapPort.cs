using Brunet.Addressing;
using Ipop;
using Ipop.Linux.Systemd;
using Ipop.Linux.Tap;
using Ipop.Offload;
using Ipopd.Capture;
using Ipopd.Configuration;
using Ipopd.Logging;
using Ipopd.State;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>The daemon's end of the tap: frames both ways, the record of them, the carrier, and the memory of the last address.</summary>
internal sealed class TapPort : ITapOutput, IDisposable
{
    /// <summary>The kernel tells a lost carrier at most a second later; less would go unnoticed by DHCP clients.</summary>
    private static readonly TimeSpan CarrierPause = TimeSpan.FromMilliseconds(1500);

    /// <summary>Frames read at once, of all queues together, so that a busy guest does not starve the overlay.</summary>
    private const int FramesPerRound = 64;

    /// <summary>Bytes after which no more is read at once, likewise: 64 TCP packets that the kernel left whole would keep a ping waiting for 10 ms.</summary>
    private const int BytesPerRound = 100_000;

    /// <summary>Seconds that a packet should wait in the kernel's queue at most, if the packets before it are such; and no shorter queue, so that a burst finds room.</summary>
    private const double LongestWait = 0.25, TypicalPacket = 2 * 1280;

    /// <summary>Packets of the shortest queue.</summary>
    private const int LeastQueue = 24;

    /// <summary>A TCP packet that the kernel left whole, with its Ethernet header.</summary>
    private const int LongestFrame = ushort.MaxValue + 14;

    /// <summary>Name of the tap in systemd's store.</summary>
    private const string StoreName = "tap";

    private readonly TapDevice _tap;
    private readonly PcapWriter? _capture;
    private readonly string _state;
    private readonly ILogger _log;
    private readonly byte[] _frame = new byte[LongestFrame];
    private int _busyQueues;
    private int _framesPerQueue = FramesPerRound;
    private int _bytesPerRound = BytesPerRound;
    private int _bytesPerQueue = BytesPerRound;
    private bool _mustBounce;
    private bool _isHeld;

    private TapPort(TapDevice tap, PcapWriter? capture, string state, ILogger log, bool isHeld) =>
        (_tap, _capture, _state, _log, _isHeld) = (tap, capture, state, log, isHeld);

    /// <summary>For the loop.</summary>
    internal IReadOnlyList<int> Descriptors => _tap.Descriptors;

    /// <summary>What the kernel leaves to us.</summary>
    internal TapOffload Offload => _tap.Offload;

    /// <inheritdoc cref="TapDevice.Unwritten"/>
    internal long Unwritten => _tap.Unwritten;

    /// <summary>Whether each frame is recorded.</summary>
    internal bool IsRecorded => _capture is { IsOver: false };

    /// <summary>Packets that came from the machine, each of those that the kernel left whole.</summary>
    internal long Packets { get; private set; }

    /// <summary>When the carrier comes back; <see cref="TimeSpan.MaxValue"/> if it is there.</summary>
    internal TimeSpan CarrierAt { get; private set; } = TimeSpan.MaxValue;

    /// <summary>
    /// The tap's address: locally administered, from the node's ring address, so the same after every start.
    /// </summary>
    internal static MacAddress MacOf(NodeAddress node) => new((0x02UL << 40) | (node.Low & 0xff_ffff_ffff));

    /// <summary>Takes over the tap that systemd kept, else opens it, then without carrier until <see cref="Plug"/>.</summary>
    /// <exception cref="TapException">Says what to do.</exception>
    internal static TapPort Open(DaemonOptions options, MacAddress mac, ServiceManager systemd, TimeProvider time, ILogger log)
    {
        Span<byte> address = stackalloc byte[MacAddress.Size];
        mac.Write(address);
        PcapWriter? capture = OpenCapture(options, time, log);
        var kept = new List<int>();
        foreach ((string name, int descriptor) in systemd.Kept)
        {
            if (name == StoreName)
            {
                kept.Add(descriptor);
            }
        }

        // A bridge drops what is longer than the device's MTU without a word, and not every host of a LAN asks for the safe one: then ipopd tells it.
        int mtu = options.Router is null ? options.TapMtu : Math.Max(options.TapMtu, options.TapLargestMtu);
        var offload = new TapOffload(options.Offload.TcpSegmentation, options.Offload.UdpSegmentation);
        TapDevice? tap = TapDevice.Adopt(kept, options.TapName, address, mtu, offload);
        if (tap is null)
        {
            tap = TapDevice.Open(options.TapName, address, mtu, offload);

            // No carrier, no DHCP: the client's first question comes when it can be answered, not a timeout later.
            tap.SetCarrier(false);
        }

        systemd.Keep(StoreName, tap.Descriptors);
        if (tap.Descriptors.Count < TapDevice.MaxQueues)
        {
            log.FewQueues(options.TapName, tap.Descriptors.Count, TapDevice.MaxQueues);
        }

        // The daemon before this one may have ended before it was on the ring, or while the carrier was away for a moment: then its tap has none, either.
        return new TapPort(tap, capture, options.NodeState, log, isHeld: !tap.HasCarrier);
    }

    /// <summary>Gives the carrier that <see cref="Open"/> or a former daemon held back: the node is on the ring.</summary>
    internal void Plug()
    {
        if (_isHeld)
        {
            _isHeld = false;
            _tap.SetCarrier(true);
        }
    }

    /// <summary>Reads so many bytes a round at most, and has the kernel keep so few packets for it that what waits there is not long; null for as at first.</summary>
    /// <param name="round">Bytes of a round.</param>
    /// <param name="rate">Bytes a second at which they are read.</param>
    internal void SetPace(int? round, int? rate)
    {
        _bytesPerRound = Math.Min(round ?? BytesPerRound, BytesPerRound);
        _tap.SetQueueLength(rate is { } bytes ? (int)Math.Clamp(bytes * LongestWait / TypicalPacket, LeastQueue, TapDevice.QueueLength) : TapDevice.QueueLength);
    }

    /// <summary>Reads what waits in one queue: as much as every queue with something in it may be read of.</summary>
    internal void Receive(TimeSpan now, int queue, VirtualNetwork network)
    {
        _busyQueues++;
        int bytes = 0;
        for (int count = 0; count < _framesPerQueue && bytes < _bytesPerQueue && _tap.Read(queue, _frame, out FrameOffload offload) is > 0 and int length; count++)
        {
            bytes += length;
            Packets += 1 + (offload.SegmentSize == 0 ? 0 : length / offload.SegmentSize);
            Span<byte> frame = _frame.AsSpan(0, length);
            _capture?.Write(frame);
            network.FrameFromTap(now, frame, offload);
        }
    }

    /// <inheritdoc/>
    public void WriteFrame(ReadOnlySpan<byte> frame) => WriteFrame(frame, default);

    /// <inheritdoc/>
    public void WriteFrame(ReadOnlySpan<byte> frame, FrameOffload offload)
    {
        _capture?.Write(frame);
        _tap.Write(frame, offload);
    }

    /// <inheritdoc/>
    public void BounceCarrier()
    {
        _log.AddressYielded();
        _mustBounce = true;
    }

    /// <inheritdoc/>
    public void AddressChanged(IPv4Address? address)
    {
        if (address is not { } held)
        {
            _log.AddressLost();
        }
        else
        {
            _log.AddressTaken(held.ToString());
            try
            {
                LastAddress.Write(_state, held);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                _log.AddressNotKept(_state, exception.Message);
            }
        }
    }

    /// <summary>Ends a round of the loop: moves the carrier if it is time, and saves the record.</summary>
    internal void EndRound(TimeSpan now)
    {
        if (_mustBounce && !_isHeld)
        {
            _tap.SetCarrier(false);
            CarrierAt = now + CarrierPause;
        }
        else if (now >= CarrierAt)
        {
            CarrierAt = TimeSpan.MaxValue;
            _tap.SetCarrier(true);
        }

        _mustBounce = false;
        _framesPerQueue = FramesPerRound / Math.Max(1, _busyQueues);
        _bytesPerQueue = _bytesPerRound / Math.Max(1, _busyQueues);
        _busyQueues = 0;
        _capture?.Flush();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _tap.Dispose();
        _capture?.Dispose();
    }

    private static PcapWriter? OpenCapture(DaemonOptions options, TimeProvider time, ILogger log)
    {
        try
        {
            return options.TapCapture is { } path ? PcapWriter.Open(path, time, why => log.CaptureEnded(path, why)) : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            log.CaptureFailed(options.File, OptionKey.TapCapture.ToString(), options.TapCapture!, exception.Message);
            return null;
        }
    }
}
