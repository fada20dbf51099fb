using System.Runtime.InteropServices;
using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Tests.Interfaces;

/// <summary>Answers are matched to the request that they are for.</summary>
public sealed class RouteSocketTests
{
    private const ushort GetLink = 18, NewLink = 16;
    private const int SequenceAt = 8, IndexAt = NetlinkMessage.HeaderSize + 4, InterfaceInfo = 16, NoSuchDevice = 19;

    [Fact]
    public void What_is_left_of_an_answer_to_an_earlier_request_is_passed_over()
    {
        using RouteSocket kernel = RouteSocket.Open();
        Assert.True(kernel.Ask(Request(0), GetLink, NetlinkMessage.Dump));

        int loopback = RouteSocket.IndexOf("lo");
        Assert.True(kernel.Ask(Request(loopback), GetLink, 0));
        ReadOnlySpan<byte> answer = kernel.Receive();

        Assert.Equal(2u, MemoryMarshal.Read<uint>(answer[SequenceAt..]));
        Assert.Equal(NewLink, MemoryMarshal.Read<ushort>(answer[4..]));
        Assert.Equal(loopback, MemoryMarshal.Read<int>(answer[IndexAt..]));
        Assert.Equal((uint)answer.Length, MemoryMarshal.Read<uint>(answer));
    }

    [Fact]
    public void A_change_that_fails_is_not_taken_for_done_because_an_earlier_answer_lies_there()
    {
        using RouteSocket kernel = RouteSocket.Open();
        Assert.True(kernel.Ask(Request(0), GetLink, NetlinkMessage.Dump));

        Assert.Equal(NoSuchDevice, kernel.Change(Request(int.MaxValue), GetLink, 0));
    }

    /// <summary>A question for an interface (struct ifinfomsg of rtnetlink(7)).</summary>
    private static byte[] Request(int index)
    {
        byte[] request = new byte[NetlinkMessage.HeaderSize + InterfaceInfo];
        MemoryMarshal.Write(request.AsSpan(IndexAt), index);
        return request;
    }
}
