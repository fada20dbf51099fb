using System.Buffers.Binary;

namespace Ipopd.Capture;

/// <summary>
/// Records Ethernet frames in the classic pcap format (draft-ietf-opsawg-pcap). A full disk or the size limit ends the record, not
/// the daemon.
/// </summary>
internal sealed class PcapWriter : IDisposable
{
    /// <summary>Longest file in bytes.</summary>
    internal const long LongestFile = 64 << 20;

    private const int FileHeader = 24, FrameHeader = 16;
    private const uint Magic = 0xa1b2c3d4, LinktypeEthernet = 1, SnapLength = 262144;

    private readonly FileStream _stream;
    private readonly TimeProvider _time;
    private bool _isOver;

    /// <summary>Begins a file anew, readable by all.</summary>
    /// <exception cref="IOException">It can't be written.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be written.</exception>
    internal PcapWriter(string path, TimeProvider time)
    {
        _time = time;
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        _stream = new FileStream(path, new FileStreamOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Share = FileShare.ReadWrite,
            UnixCreateMode = Mode,
        });

        // The umask may have cut it.
        File.SetUnixFileMode(path, Mode);
        Span<byte> header = stackalloc byte[FileHeader];
        header.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(header, Magic);
        BinaryPrimitives.WriteUInt16LittleEndian(header[4..], 2);
        BinaryPrimitives.WriteUInt16LittleEndian(header[6..], 4);
        BinaryPrimitives.WriteUInt32LittleEndian(header[16..], SnapLength);
        BinaryPrimitives.WriteUInt32LittleEndian(header[20..], LinktypeEthernet);
        Put(header);
        Flush();
    }

    /// <summary>Records one frame.</summary>
    internal void Write(ReadOnlySpan<byte> frame)
    {
        if (_isOver || _stream.Position + FrameHeader + frame.Length > LongestFile)
        {
            return;
        }

        long microseconds = (_time.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond;
        Span<byte> header = stackalloc byte[FrameHeader];
        BinaryPrimitives.WriteUInt32LittleEndian(header, (uint)(microseconds / 1_000_000));
        BinaryPrimitives.WriteUInt32LittleEndian(header[4..], (uint)(microseconds % 1_000_000));
        BinaryPrimitives.WriteInt32LittleEndian(header[8..], frame.Length);
        BinaryPrimitives.WriteInt32LittleEndian(header[12..], frame.Length);
        Put(header);
        Put(frame);
    }

    /// <summary>Hands what is buffered to the kernel, so that a killed daemon loses none of it.</summary>
    internal void Flush()
    {
        try
        {
            _stream.Flush();
        }
        catch (IOException)
        {
            _isOver = true;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Flush();
        _stream.Dispose();
    }

    private void Put(ReadOnlySpan<byte> bytes)
    {
        try
        {
            _stream.Write(bytes);
        }
        catch (IOException)
        {
            _isOver = true;
        }
    }
}
