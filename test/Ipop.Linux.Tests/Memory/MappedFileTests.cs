using System.Text;
using Ipop.Linux.Memory;

namespace Ipop.Linux.Tests.Memory;

public sealed class MappedFileTests
{
    [Theory]
    [InlineData("r-xp", "/usr/lib/libc.so.6", 0, true)]
    [InlineData("r-xp", "/usr/lib/libc.so.6", 4, false)]
    [InlineData("r--p", "/usr/lib/libc.so.6", 0, true)]
    [InlineData("r--p", "/usr/lib/libc.so.6", 4, false)]
    [InlineData("r--p", "/usr/lib/wow/dotnet/programs.r2r.dll", 0, false)]
    [InlineData("r-xp", "/usr/lib/wow/dotnet/programs.r2r.dll", 0, true)]
    [InlineData("r--s", "/usr/lib/wow/dotnet/Brunet.dll", 0, true)]
    [InlineData("rw-p", "/usr/lib/libc.so.6", 0, false)]
    [InlineData("rw-s", "/memfd:doublemapper (deleted)", 0, false)]
    [InlineData("r-xs", "/memfd:doublemapper (deleted)", 0, false)]
    [InlineData("r-xp", "[vdso]", 0, false)]
    [InlineData("r-xp", "", 0, false)]
    [InlineData("rw-p", "[heap]", 0, false)]
    public void What_a_file_has_as_it_is_and_nobody_writes_can_come_back(string rights, string path, int written, bool expected)
    {
        MappedFile mapping = Read(rights, path, resident: 120, written);
        Assert.Equal(expected, mapping.CanComeBack);
        Assert.Equal((0x7f1f00000000UL, 0x7f1f00020000UL, 120L * 1024), (mapping.Begin, mapping.End, mapping.Resident));
    }

    [Fact]
    public void What_is_not_in_memory_need_not_go() => Assert.False(Read("r-xp", "/usr/lib/libc.so.6", resident: 0, written: 0).CanComeBack);

    [Fact]
    public void Without_the_kernels_word_that_nothing_is_written_it_stays() => Assert.False(Read("r-xp", "/usr/lib/libc.so.6", resident: 120, written: null).CanComeBack);

    [Fact]
    public void One_mapping_tells_nothing_about_the_next()
    {
        MappedFile mapping = Read("r-xp", "/usr/lib/libc.so.6", resident: 120, written: 0);
        Take(ref mapping, "7f2000000000-7f2000020000 rw-p 00000000 00:00 0 ");
        Assert.Equal((false, 0L), (mapping.CanComeBack, mapping.Resident));
    }

    private static MappedFile Read(string rights, string path, int resident, int? written)
    {
        MappedFile mapping = default;
        Take(ref mapping, $"7f1f00000000-7f1f00020000 {rights} 00026000 fe:00 1234                       {path}");
        Take(ref mapping, "Size:                128 kB");
        Take(ref mapping, $"Rss:                 {resident} kB");
        Take(ref mapping, "Pss_Anon:              8 kB");
        if (written is { } kilobytes)
        {
            Take(ref mapping, $"Anonymous:             {kilobytes} kB");
        }

        Take(ref mapping, "AnonHugePages:         0 kB");
        Assert.True(mapping.Take("VmFlags: rd ex mr mw me "u8));
        return mapping;
    }

    private static void Take(ref MappedFile mapping, string line) => Assert.False(mapping.Take(Encoding.ASCII.GetBytes(line)));
}
