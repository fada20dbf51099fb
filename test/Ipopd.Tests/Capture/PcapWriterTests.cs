using System.Buffers.Binary;
using Ipopd.Capture;

namespace Ipopd.Tests.Capture;

public sealed class PcapWriterTests
{
    [Fact]
    public void Frames_stand_in_the_file_as_pcap_says_and_the_file_is_readable_by_all()
    {
        string folder = Directory.CreateTempSubdirectory().FullName;
        string path = Path.Combine(folder, "sub", "x.pcap");
        try
        {
            using (var writer = PcapWriter.Open(path, TimeProvider.System, Assert.Fail))
            {
                writer.Write([1, 2, 3]);
                writer.Write(new byte[1500]);
                writer.Flush();
                Assert.Equal(24 + 16 + 3 + 16 + 1500, new FileInfo(path).Length);
            }

            byte[] bytes = File.ReadAllBytes(path);
            Assert.Equal(0xa1b2c3d4, BinaryPrimitives.ReadUInt32LittleEndian(bytes));
            Assert.Equal(1u, BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(20)));
            Assert.Equal(3, BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(24 + 8)));
            Assert.Equal([1, 2, 3], bytes[40..43]);
            Assert.True(File.GetUnixFileMode(path).HasFlag(UnixFileMode.OtherRead));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void A_full_disk_ends_the_record_behind_its_last_whole_frame_says_so_once_and_lets_the_daemon_go_on()
    {
        using var disk = new FullDisk(room: 24 + 116 + 50);
        var told = new List<string>();
        using (var writer = new PcapWriter(disk, TimeProvider.System, told.Add))
        {
            for (int frame = 0; frame < 3; frame++)
            {
                Assert.Equal(frame > 1, writer.IsOver);
                writer.Write(new byte[100]);
                writer.Flush();
            }

            // There is room again, and what is missing would not be seen.
            disk.Room = 1000;
            writer.Write(new byte[100]);
            writer.Flush();
            Assert.Equal(24 + 116, disk.Length);
        }

        Assert.Equal(["No space left on device"], told);
    }

    [Fact]
    public void A_record_that_has_its_length_says_so_once()
    {
        using var disk = new FullDisk(room: PcapWriter.LongestFile);
        var told = new List<string>();
        using (var writer = new PcapWriter(disk, TimeProvider.System, told.Add))
        {
            for (int frame = 0; frame < 1100; frame++)
            {
                writer.Write(new byte[ushort.MaxValue]);
            }

            writer.Flush();
            Assert.True(writer.IsOver);
            Assert.Equal(24 + ((PcapWriter.LongestFile - 24) / (16 + ushort.MaxValue) * (16 + ushort.MaxValue)), disk.Length);
        }

        Assert.Equal(["it has its 64 MiB"], told);
    }

    [Fact]
    public void On_a_disk_that_is_full_already_nothing_is_begun()
    {
        using var disk = new FullDisk(room: 10);
        Assert.Throws<IOException>(() => new PcapWriter(disk, TimeProvider.System, Assert.Fail));
    }

    /// <summary>A disk that takes what it has room for, and then says that it is full; it keeps lengths alone.</summary>
    private sealed class FullDisk(long room) : Stream
    {
        private long _length;

        public long Room { get; set; } = room;

        public override bool CanRead => false;

        public override bool CanSeek => true;

        public override bool CanWrite => true;

        public override long Length => _length;

        public override long Position { get; set; }

        public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            long taken = Math.Min(buffer.Length, Room - _length);
            _length += taken;
            if (taken < buffer.Length)
            {
                throw new IOException("No space left on device");
            }
        }

        public override void SetLength(long value) => _length = value;

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();
    }
}
