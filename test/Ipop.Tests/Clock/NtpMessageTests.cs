using System.Buffers.Binary;
using Ipop.Clock;

namespace Ipop.Tests.Clock;

public sealed class NtpMessageTests
{
    private const ulong Number = 0x0123456789abcdef;

    [Fact]
    public void A_question_says_nothing_but_its_number()
    {
        byte[] question = new byte[NtpMessage.Size];
        NtpMessage.Write(question, Number);
        Assert.Equal(0x23, question[0]);
        Assert.Equal(Number, BinaryPrimitives.ReadUInt64BigEndian(question.AsSpan(40)));
        Assert.All(question[1..40], value => Assert.Equal(0, value));
    }

    [Theory]
    [InlineData(0xEC5B_6C00_8000_0000, "2025-08-29T00:00:00.5Z")]
    [InlineData(0x0000_0000_8000_0000, "2036-02-07T06:28:16.5Z")]
    public void An_answer_tells_the_time_in_this_era_of_NTP_and_the_next(ulong sent, string time)
    {
        Assert.True(NtpMessage.TryRead(Answer(sent), Number, out DateTimeOffset read));
        Assert.Equal(DateTimeOffset.Parse(time, System.Globalization.CultureInfo.InvariantCulture), read);
    }

    [Fact]
    public void Who_answers_something_else_or_does_not_know_the_time_is_not_heard()
    {
        Assert.False(NtpMessage.TryRead(Answer(1UL << 63), Number + 1, out _));
        Assert.False(NtpMessage.TryRead(Answer(1UL << 63).AsSpan(0, 47), Number, out _));
        Assert.False(NtpMessage.TryRead(Answer(0), Number, out _));
        foreach ((int at, byte value) in new (int, byte)[] { (0, 0x23), (0, 0xe4), (1, 0), (1, 16) })
        {
            byte[] answer = Answer(1UL << 63);
            answer[at] = value;
            Assert.False(NtpMessage.TryRead(answer, Number, out _));
        }
    }

    private static byte[] Answer(ulong sent)
    {
        byte[] answer = new byte[NtpMessage.Size];
        (answer[0], answer[1]) = (0x24, 2);
        BinaryPrimitives.WriteUInt64BigEndian(answer.AsSpan(24), Number);
        BinaryPrimitives.WriteUInt64BigEndian(answer.AsSpan(40), sent);
        return answer;
    }
}
