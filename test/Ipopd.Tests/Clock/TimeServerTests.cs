using System.Net;
using System.Net.Sockets;
using Ipop.Linux.Polling;
using Ipopd.Clock;

namespace Ipopd.Tests.Clock;

public sealed class TimeServerTests
{
    /// <summary>getaddrinfo(3) says EAI_MEMORY, and .NET throws that.</summary>
    [Fact]
    public void After_a_lookup_for_which_there_was_no_memory_there_is_another()
    {
        int lookups = 0;
        using var loop = new PollLoop();
        using var server = new TimeServer(loop, "time.example", (_, _) => { })
        {
            LookUp = _ =>
            {
                lookups++;
                return Task.FromException<IPAddress[]>(new InsufficientMemoryException());
            },
        };
        for (int asked = 1; asked <= 3; asked++)
        {
            server.Ask(TimeSpan.Zero);
            loop.Run(() => TimeSpan.Zero, _ => loop.Stop());
            Assert.Equal(asked, lookups);
        }
    }

    /// <summary>.NET throws an ArgumentException where it is to look up one of these.</summary>
    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    public void People_hear_of_an_address_that_nobody_can_have(string host)
    {
        using var loop = new PollLoop();
        using var server = new TimeServer(loop, host, (_, _) => { });
        for (int asked = 0; asked < 4; asked++)
        {
            Assert.Null(server.Trouble);
            server.Ask(TimeSpan.Zero);
            loop.Run(() => TimeSpan.Zero, _ => loop.Stop());
        }

        Assert.StartsWith($"the time server {host} does not answer", server.Trouble, StringComparison.Ordinal);
    }

    [Fact]
    public void Where_the_first_address_does_not_answer_the_next_is_asked_and_people_hear_of_it_when_none_does()
    {
        using var silent = new UdpClient(new IPEndPoint(IPAddress.Parse("127.0.0.2"), 0));
        ushort port = (ushort)((IPEndPoint)silent.Client.LocalEndPoint!).Port;
        using var good = new UdpClient(new IPEndPoint(IPAddress.Parse("127.0.0.3"), port));
        int heard = 0;
        using var loop = new PollLoop();
        using var server = new TimeServer(loop, "time.example", (_, _) => heard++)
        {
            Port = port,
            LookUp = _ => Task.FromResult<IPAddress[]>([IPAddress.Parse("127.0.0.2"), IPAddress.Parse("127.0.0.3")]),
        };
        Ask(loop, server, silent);
        Question question = Ask(loop, server, good);
        question.Answer(good, stratum: 2, "GPS\0"u8);
        Run(loop, () => heard == 1);
        Assert.Equal(1, heard);
        for (int asked = 0; asked < 4; asked++)
        {
            Assert.Null(server.Trouble);
            Ask(loop, server, asked % 2 == 0 ? good : silent);
        }

        Ask(loop, server, good);
        Assert.StartsWith("the time server time.example does not answer", server.Trouble, StringComparison.Ordinal);
    }

    [Fact]
    public void A_server_that_says_that_it_is_asked_too_often_is_asked_less()
    {
        using var busy = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        int lookups = 0;
        using var loop = new PollLoop();
        using var server = new TimeServer(loop, "time.example", (_, _) => { })
        {
            Port = (ushort)((IPEndPoint)busy.Client.LocalEndPoint!).Port,
            LookUp = _ =>
            {
                lookups++;
                return Task.FromResult<IPAddress[]>([IPAddress.Loopback]);
            },
        };
        Ask(loop, server, busy).Answer(busy, stratum: 0, "RATE"u8);
        Run(loop, () => !server.MayAsk(BootClock.Now + TimeSpan.FromSeconds(100)));
        server.Ask(BootClock.Now + TimeSpan.FromSeconds(100));
        Assert.Equal(1, lookups);
        Assert.Null(server.Trouble);
        server.Ask(BootClock.Now + TimeSpan.FromSeconds(121));
        Assert.Equal(2, lookups);
    }

    /// <summary>Asks, and waits for the question.</summary>
    private static Question Ask(PollLoop loop, TimeServer server, UdpClient asked)
    {
        server.Ask(BootClock.Now);
        Run(loop, () => asked.Available > 0);
        IPEndPoint? from = null;
        byte[] bytes = asked.Receive(ref from);
        return new Question(from, bytes);
    }

    private static void Run(PollLoop loop, Func<bool> isDone)
    {
        int rounds = 0;
        loop.Run(() => TimeSpan.Zero, _ =>
        {
            if (isDone() || ++rounds > 1_000_000)
            {
                loop.Stop();
            }
        });
        Assert.InRange(rounds, 0, 1_000_000);
    }

    private sealed record Question(IPEndPoint From, byte[] Bytes)
    {
        public void Answer(UdpClient server, byte stratum, ReadOnlySpan<byte> reference)
        {
            byte[] answer = new byte[48];
            (answer[0], answer[1]) = ((4 << 3) | 4, stratum);
            reference.CopyTo(answer.AsSpan(12));
            Bytes.AsSpan(40, 8).CopyTo(answer.AsSpan(24));
            answer[40] = 0xe0;
            server.Send(answer, From);
        }
    }
}
