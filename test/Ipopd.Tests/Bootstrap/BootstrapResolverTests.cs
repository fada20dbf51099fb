using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using Brunet.Addressing;
using Ipopd.Bootstrap;
using Ipopd.Configuration;
using Ipopd.Logging;

namespace Ipopd.Tests.Bootstrap;

public sealed class BootstrapResolverTests
{
    [Fact]
    public async Task A_name_that_resolves_late_is_found_and_told_once_and_literals_are_there_at_once()
    {
        int tries = 0;
        using var said = new StringWriter();
        var resolver = new BootstrapResolver(
            [new BootstrapEntry("192.0.2.1", 1), new BootstrapEntry("late.example", 2)], LookUp, TimeProvider.System, new LineLogger(said, false));
        Assert.Equal(["192.0.2.1:1"], resolver.Literal.Select(address => address.ToString()));

        using var ending = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        IReadOnlyList<TransportAddress>? found = null;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => resolver.RunAsync(
            list =>
            {
                found = list;
                ending.Cancel();
            },
            ending.Token));

        Assert.Equal(["192.0.2.1:1", "192.0.2.7:2"], found!.Select(address => address.ToString()));
        Assert.Equal(3, tries);
        Assert.Single(said.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.Contains("bootstrap udp:late.example:2 does not resolve", said.ToString(), StringComparison.Ordinal);

        Task<IPAddress[]> LookUp(string host, CancellationToken cancellation) => ++tries < 3
            ? throw new SocketException((int)SocketError.TryAgain)
            : Task.FromResult(new[] { IPAddress.Parse("192.0.2.7"), IPAddress.Parse("192.0.2.7") });
    }

    /// <summary>getaddrinfo(3) says EAI_MEMORY, and .NET throws that.</summary>
    [Fact]
    public async Task A_lookup_for_which_there_is_no_memory_is_tried_again()
    {
        int tries = 0;
        var resolver = new BootstrapResolver(
            [new BootstrapEntry("late.example", 2)],
            (_, _) => ++tries < 2 ? Task.FromException<IPAddress[]>(new InsufficientMemoryException()) : Task.FromResult(new[] { IPAddress.Parse("192.0.2.7") }),
            TimeProvider.System,
            new LineLogger(TextWriter.Null, false));
        using var ending = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        IReadOnlyList<TransportAddress>? found = null;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => resolver.RunAsync(
            list =>
            {
                found = list;
                ending.Cancel();
            },
            ending.Token));
        Assert.Equal("192.0.2.7:2", Assert.Single(found!).ToString());
    }

    [Fact]
    public async Task Of_a_name_that_has_thousands_of_addresses_the_first_ones_are_taken()
    {
        var resolver = new BootstrapResolver(
            [new BootstrapEntry("many.example", 2)],
            (_, _) => Task.FromResult(Enumerable.Range(0, 4000).Select(number => new IPAddress([10, 0, (byte)(number >> 8), (byte)number])).ToArray()),
            TimeProvider.System,
            new LineLogger(TextWriter.Null, false));
        using var ending = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        IReadOnlyList<TransportAddress> found = [];
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => resolver.RunAsync(
            list =>
            {
                found = list;
                ending.Cancel();
            },
            ending.Token));
        Assert.Equal(BootstrapResolver.MostAddresses, found.Count);
        Assert.Equal("10.0.0.0:2", found[0].ToString());
    }

    [Fact]
    public async Task Addresses_of_a_name_that_come_in_another_order_are_the_known_ones_even_where_there_are_too_many()
    {
        using var ending = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        int looks = 0;
        var resolver = new BootstrapResolver(
            [new BootstrapEntry("turning.example", 2)], (_, _) => Task.FromResult(Turned(++looks)), new PauseTime { Passes = true }, new LineLogger(TextWriter.Null, false));
        var told = new List<string[]>();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => resolver.RunAsync(
            list => told.Add([.. list.Select(address => address.ToString())]), ending.Token));
        Assert.Equal(2, told.Count);
        Assert.Equal(["192.0.2.2:2"], told[0].Except(told[1]));
        Assert.Equal(["192.0.2.18:2"], told[1].Except(told[0]));

        // 20 addresses, each time with another one first; at last one that was taken is gone.
        IPAddress[] Turned(int look)
        {
            if (look == 9)
            {
                ending.Cancel();
            }

            IEnumerable<int> numbers = Enumerable.Range(0, 20).Select(number => ((number + look) % 20) + 1);
            return [.. numbers.Where(number => look < 8 || number != 2).Select(number => new IPAddress([192, 0, 2, (byte)number]))];
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_name_is_looked_up_at_once_when_the_network_changes_and_when_the_ring_is_lost(bool isLost)
    {
        var time = new PauseTime();
        string answer = "192.0.2.1";
        var found = Channel.CreateUnbounded<string>();
        var resolver = new BootstrapResolver(
            [new BootstrapEntry("manager.example", 2)], (_, _) => Task.FromResult(new[] { IPAddress.Parse(answer) }), time, new LineLogger(TextWriter.Null, false));
        resolver.SetLonely(false);
        using var ending = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        Task running = resolver.RunAsync(list => found.Writer.TryWrite(list[0].ToString()), ending.Token);
        Assert.Equal("192.0.2.1:2", await found.Reader.ReadAsync(ending.Token));

        answer = "198.51.100.7";
        if (isLost)
        {
            resolver.SetLonely(true);
        }
        else
        {
            resolver.LookAgain();
        }

        Assert.Equal("198.51.100.7:2", await found.Reader.ReadAsync(ending.Token));
        await ending.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
    }

    [Theory]
    [InlineData(true, new[] { 1, 2, 4, 8, 16, 30, 30, 30, 30, 30 })]
    [InlineData(false, new[] { 1, 2, 4, 8, 16, 32, 64, 128, 256, 300 })]
    public async Task Names_are_looked_up_ever_more_rarely_but_each_half_minute_while_the_ring_is_not_joined(bool isLonely, int[] pauses)
    {
        using var ending = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        var time = new PauseTime { Passes = true };
        int looks = 0;
        var resolver = new BootstrapResolver(
            [new BootstrapEntry("manager.example", 2)],
            (_, _) =>
            {
                if (looks++ == pauses.Length)
                {
                    ending.Cancel();
                }

                return Task.FromResult(new[] { IPAddress.Parse("192.0.2.1") });
            },
            time,
            new LineLogger(TextWriter.Null, false));
        resolver.SetLonely(isLonely);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => resolver.RunAsync(_ => { }, ending.Token));
        Assert.Equal(pauses, time.Pauses.Take(pauses.Length).Select(pause => (int)pause.TotalSeconds));
    }

    [Fact]
    public async Task A_list_of_addresses_needs_no_lookup_at_all()
    {
        var resolver = new BootstrapResolver(
            [new BootstrapEntry("2001:db8::1", 1)], (_, _) => throw new InvalidOperationException(), TimeProvider.System, new LineLogger(TextWriter.Null, false));
        await resolver.RunAsync(_ => throw new InvalidOperationException(), CancellationToken.None);
        Assert.Single(resolver.Literal);
    }

    /// <summary>Notes the pauses; each passes at once, or never.</summary>
    private sealed class PauseTime : TimeProvider
    {
        public bool Passes { get; init; }

        public List<TimeSpan> Pauses { get; } = [];

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Pauses.Add(dueTime);
            return System.CreateTimer(callback, state, Passes ? TimeSpan.Zero : Timeout.InfiniteTimeSpan, period);
        }
    }
}
