using System.Net;
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
            server.Ask();
            loop.Run(() => TimeSpan.Zero, _ => loop.Stop());
            Assert.Equal(asked, lookups);
        }
    }
}
