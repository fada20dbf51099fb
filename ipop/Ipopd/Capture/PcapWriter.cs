using System.Buffers.Binary;

namespace Ipopd.Capture;

/// <summary>
/// Records Ethernet frames in the classic pcap format (draft-ietf-opsawg-pcap). A full disk or the size limit ends the record behind its last whole frame, not
/// the daemon.
/// </summary>
internal sealed class PcapWriter : IDisposable
{
    /// <summary>Longest file in bytes.</summary>
    internal const long LongestFile = 64 << 20;

    private const int FileHeader = 24, FrameHeader = 16;
    private const uint Magic = 0xa1b2c3d4, LinktypeEthernet = 1, SnapLength = 262144;

    private readonly Stream _stream;
    private readonly TimeProvider _time;
    private readonly Action<string> _ended;

    /// <summary>Whole frames that the kernel does not have yet; room for two of the longest.</summary>
    private readonly byte[] _buffer = new byte[2 * (FrameHeader + ushort.MaxValue + 14)];
    private int _buffered;
    private long _written = FileHeader;

    /// <summary>Begins a record in a stream that writes at once.</summary>
    /// <param name="stream">Where to; it can be cut.</param>
    /// <param name="time">What time it is.</param>
    /// <param name="ended">Hears once why the record ended before the daemon.</param>
    /// <exception cref="IOException">It can't be written.</exception>
    internal PcapWriter(Stream stream, TimeProvider time, Action<string> ended)
    {
        (_stream, _time, _ended) = (stream, time, ended);
        Span<byte> header = stackalloc byte[FileHeader];
        header.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(header, Magic);
        BinaryPrimitives.WriteUInt16LittleEndian(header[4..], 2);
        BinaryPrimitives.WriteUInt16LittleEndian(header[6..], 4);
        BinaryPrimitives.WriteUInt32LittleEndian(header[16..], SnapLength);
        BinaryPrimitives.WriteUInt32LittleEndian(header[20..], LinktypeEthernet);
        stream.Write(header);
    }

    /// <summary>Whether the record ended before the daemon.</summary>
    internal bool IsOver { get; private set; }

    /// <summary>Begins a file anew, readable by all.</summary>
    /// <exception cref="IOException">It can't be written.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be written.</exception>
    internal static PcapWriter Open(string path, TimeProvider time, Action<string> ended)
    {
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        var stream = new FileStream(path, new FileStreamOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Share = FileShare.ReadWrite,
            UnixCreateMode = Mode,
            BufferSize = 0,
        });
        try
        {
            // The umask may have cut it.
            File.SetUnixFileMode(path, Mode);
            return new PcapWriter(stream, time, ended);
        }
        catch
        {
            stream.Dispose();
            throw;
        }
    }

    /// <summary>Records one frame.</summary>
    internal void Write(ReadOnlySpan<byte> frame)
    {
        int size = FrameHeader + frame.Length;
        if (_buffered + size > _buffer.Length)
        {
            Flush();
        }

        if (IsOver)
        {
            return;
        }

        if (_written + _buffered + size > LongestFile)
        {
            Flush();
            End($"it has its {LongestFile >> 20} MiB");
            return;
        }

        long microseconds = (_time.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond;
        Span<byte> record = _buffer.AsSpan(_buffered, size);
        BinaryPrimitives.WriteUInt32LittleEndian(record, (uint)(microseconds / 1_000_000));
        BinaryPrimitives.WriteUInt32LittleEndian(record[4..], (uint)(microseconds % 1_000_000));
        BinaryPrimitives.WriteInt32LittleEndian(record[8..], frame.Length);
        BinaryPrimitives.WriteInt32LittleEndian(record[12..], frame.Length);
        frame.CopyTo(record[FrameHeader..]);
        _buffered += size;
    }

    /// <summary>Hands what is buffered to the kernel, so that a killed daemon loses none of it.</summary>
    internal void Flush()
    {
        if (_buffered == 0)
        {
            return;
        }

        try
        {
            _stream.Write(_buffer, 0, _buffered);
            _written += _buffered;
        }
        catch (IOException exception)
        {
            Cut();
            End(exception.Message);
        }

        _buffered = 0;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Flush();
        _stream.Dispose();
    }

    /// <summary>Takes away what there was room for of a frame.</summary>
    private void Cut()
    {
        try
        {
            _stream.SetLength(_written);
        }
        catch (IOException)
        {
            // Who reads it finds its end torn.
        }
    }

    private void End(string why)
    {
        if (!IsOver)
        {
            IsOver = true;
            _ended(why);
        }
    }
}
