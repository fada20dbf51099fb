using System.Net;
using System.Net.Sockets;
using Brunet;
using Brunet.Addressing;
using Ipopd.Configuration;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;
using static Brunet.Moment;

namespace Ipopd.Bootstrap;

/// <summary>
/// Turns the bootstrap list into addresses, in the background: a name that does not resolve at boot is tried until it does, and one
/// that did is looked up again, because it may move: ever more rarely while the ring is joined, and from the beginning when the network changes.
/// </summary>
internal sealed class BootstrapResolver
{
    /// <summary>As many addresses of an entry are taken, the known ones and then the first ones: a name server may answer with thousands, in another order each time.</summary>
    internal const int MostAddresses = 16;

    private static readonly TimeSpan FirstRetry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestRetry = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Refresh = TimeSpan.FromMinutes(5);

    private readonly IReadOnlyList<BootstrapEntry> _entries;
    private readonly Func<string, CancellationToken, Task<IPAddress[]>> _lookup;
    private readonly TimeProvider _time;
    private readonly ILogger _log;

    [Bounded(nameof(MostAddresses))]
    private readonly TransportAddress[][] _resolved;

    private volatile TaskCompletionSource _wanted = new();
    private volatile bool _isLonely = true;

    /// <summary>Makes a resolver.</summary>
    /// <param name="entries">The list.</param>
    /// <param name="lookup">Such as <see cref="Dns.GetHostAddressesAsync(string, CancellationToken)"/>.</param>
    /// <param name="time">For the pauses between tries.</param>
    /// <param name="log">Where failures are told, once each.</param>
    internal BootstrapResolver(
        IReadOnlyList<BootstrapEntry> entries, Func<string, CancellationToken, Task<IPAddress[]>> lookup, TimeProvider time, ILogger log)
    {
        (_entries, _lookup, _time, _log) = (entries, lookup, time, log);
        _resolved = [.. entries.Select(entry => entry.IsLiteral ? Convert(entry, [], [IPAddress.Parse(entry.Host)]) : [])];
    }

    /// <summary>What needs no lookup, there at once.</summary>
    internal IReadOnlyList<TransportAddress> Literal => Flatten();

    /// <summary>Each entry and what it resolves to, as far as known; any thread may ask.</summary>
    internal IEnumerable<(BootstrapEntry Entry, IReadOnlyList<TransportAddress> Addresses)> Known =>
        _entries.Select((entry, index) => (entry, (IReadOnlyList<TransportAddress>)Volatile.Read(ref _resolved[index])));

    /// <summary>Looks up at once, and soon again: this machine stands in another network, where names may mean something else. Any thread may call.</summary>
    internal void LookAgain() => _wanted.TrySetResult();

    /// <summary>Says whether the ring is not joined; any thread may. While it is not, the names' addresses may be the reason.</summary>
    internal void SetLonely(bool isLonely)
    {
        bool begins = isLonely && !_isLonely;
        _isLonely = isLonely;
        if (begins)
        {
            LookAgain();
        }
    }

    /// <summary>Looks names up until cancelled.</summary>
    /// <param name="changed">Called, on any thread, with the whole list whenever it changes.</param>
    /// <param name="cancellation">Ends it.</param>
    internal async Task RunAsync(Action<IReadOnlyList<TransportAddress>> changed, CancellationToken cancellation)
    {
        if (_entries.All(entry => entry.IsLiteral))
        {
            return;
        }

        TimeSpan pause = FirstRetry;
        var told = new HashSet<BootstrapEntry>();
        while (true)
        {
            // What is wanted from now on is not answered by the looks that follow.
            TaskCompletionSource wanted = _wanted = new(TaskCreationOptions.RunContinuationsAsynchronously);
            bool isComplete = true;
            for (int index = 0; index < _entries.Count; index++)
            {
                BootstrapEntry entry = _entries[index];
                if (entry.IsLiteral)
                {
                    continue;
                }

                TransportAddress[] found = await LookUpAsync(entry, _resolved[index], told, cancellation).ConfigureAwait(false);
                isComplete &= found.Length > 0;

                // A failed lookup does not make a known address wrong.
                if (found.Length > 0 && !found.AsSpan().SequenceEqual(_resolved[index]))
                {
                    Volatile.Write(ref _resolved[index], found);
                    changed(Flatten());
                }
            }

            pause = await WaitAsync(Earlier(pause, isComplete && !_isLonely ? Refresh : LongestRetry), wanted.Task, cancellation).ConfigureAwait(false);
        }
    }

    /// <summary>Waits so long, or until a look is wanted; the pause after the next one.</summary>
    private async Task<TimeSpan> WaitAsync(TimeSpan pause, Task wanted, CancellationToken cancellation)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        await Task.WhenAny(Task.Delay(pause, _time, over.Token), wanted).ConfigureAwait(false);
        await over.CancelAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        return wanted.IsCompleted ? FirstRetry : pause * 2;
    }

    private static TransportAddress[] Convert(BootstrapEntry entry, TransportAddress[] known, IPAddress[] addresses)
    {
        TransportAddress[] found = [.. addresses.Select(address => TransportAddress.From(new IPEndPoint(address, entry.Port)))];
        return [.. known.Intersect(found).Union(found).Take(MostAddresses)];
    }

    private async Task<TransportAddress[]> LookUpAsync(BootstrapEntry entry, TransportAddress[] known, HashSet<BootstrapEntry> told, CancellationToken cancellation)
    {
        try
        {
            TransportAddress[] found = Convert(entry, known, await _lookup(entry.Host, cancellation).ConfigureAwait(false));
            told.Remove(entry);
            return found;
        }
        catch (Exception exception) when (exception is SocketException or OutOfMemoryException)
        {
            // The second is what EAI_MEMORY of getaddrinfo(3) becomes: for this lookup alone there was no memory.
            if (told.Add(entry))
            {
                _log.BootstrapUnresolved(entry.ToString(), exception.Message);
            }

            return [];
        }
    }

    private List<TransportAddress> Flatten() => [.. _resolved.SelectMany(addresses => addresses)];
}
