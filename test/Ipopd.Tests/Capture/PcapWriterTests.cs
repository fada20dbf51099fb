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
            using (var writer = new PcapWriter(path, TimeProvider.System))
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
}
