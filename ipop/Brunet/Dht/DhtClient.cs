using Brunet.Links;
using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>
/// The asker's side: an operation goes to all replicas at once and again to those that are silent; a majority decides. Records of the
/// local node are renewed until they are released.
/// </summary>
internal sealed class DhtClient(NodeCore core, RecordCodec codec, IRecordPolicy policy)
{
    private static readonly TimeSpan RetryInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(10);

    /// <summary>How long a lookup that has a good record waits for a better one before it is content: a silent replica costs no more.</summary>
    private static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(250);

    private static readonly TimeSpan RenewInterval = TimeSpan.FromSeconds(30);

    private readonly RecordStore _order = new(policy);
    private readonly Queue<(TimeSpan At, OwnRecord Lost)> _withdrawAgain = new();
    private readonly Dictionary<uint, DhtOperation> _running = [];
    private readonly Dictionary<RecordKey, OwnRecord> _own = [];

    /// <summary>Whether an operation is under way, so that time matters.</summary>
    public bool IsBusy => _running.Count > 0;

    public void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, DhtAnswer> done) =>
        Start(now, new DhtOperation(key, null, done, now + Deadline));

    public void Create(TimeSpan now, RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done)
    {
        ulong sequence = _own.TryGetValue(key, out OwnRecord? before) ? before.Sequence + 1 : 1;
        var own = new OwnRecord(key, value, done) { Sequence = sequence };
        _own[key] = own;
        Put(now, own, done);
    }

    public void Release(TimeSpan now, RecordKey key)
    {
        if (_own.Remove(key, out OwnRecord? own) && own.Stands)
        {
            Withdraw(now, own);
        }
    }

    /// <summary>The local certificate changed: all records are signed anew with it.</summary>
    public void IdentityChanged(TimeSpan now)
    {
        foreach (OwnRecord own in _own.Values)
        {
            own.Sequence++;
            own.NextRenewal = now;
            own.IsStale = true;
        }
    }

    public void OnReply(TimeSpan now, ReadOnlySpan<byte> body)
    {
        if (!ReplyMessage.TryRead(body, out ReplyMessage reply) || !_running.TryGetValue(reply.Request, out DhtOperation? operation)
            || operation.Answered[reply.Replica])
        {
            return;
        }

        DhtRecord? record = reply.Status == ReplyStatus.Stands ? codec.Read(reply.Record) : null;
        if (reply.Status == ReplyStatus.Stands && (record is null || record.Key != operation.Key || !policy.IsAllowed(record)))
        {
            return;
        }

        if (record is not null && operation.Own is { } mine && _order.Beats(mine, record))
        {
            // Ours must stand there: the replica errs or lies. It is asked again, and the others decide.
            return;
        }

        operation.Answered[reply.Replica] = true;
        operation.Answers++;
        operation.Agreeing += reply.Status == ReplyStatus.Stored ? 1 : 0;
        operation.Refused += reply.Status == ReplyStatus.Refused ? 1 : 0;
        if (record is not null && (operation.Best is null || _order.Beats(record, operation.Best)))
        {
            operation.Best = record;
            operation.BestHeard ??= now;
        }

        Decide(now, reply.Request, operation);
    }

    public void Tick(TimeSpan now)
    {
        foreach (OwnRecord own in Due(now))
        {
            own.NextRenewal = now + RenewInterval;
            Put(now, own, own.Done, isRenewal: own.Stands);
        }

        while (_withdrawAgain.TryPeek(out (TimeSpan At, OwnRecord Lost) again) && now >= again.At)
        {
            _withdrawAgain.Dequeue();
            if (!_own.ContainsKey(again.Lost.Key))
            {
                Withdraw(now, again.Lost);
            }
        }

        foreach (uint request in new List<uint>(_running.Keys))
        {
            if (!_running.TryGetValue(request, out DhtOperation? operation))
            {
                continue;
            }

            if (now >= operation.Deadline)
            {
                Finish(now, request, operation, new DhtAnswer(DhtStatus.TimedOut, operation.Best));
            }
            else if (operation.Encoded is null && now - operation.BestHeard >= Grace)
            {
                Finish(now, request, operation, new DhtAnswer(DhtStatus.Done, operation.Best));
            }
            else if (now >= operation.NextTry)
            {
                Send(now, request, operation);
            }
        }
    }

    private void Withdraw(TimeSpan now, OwnRecord own)
    {
        byte[] encoded = codec.Sign(own.Key, [], own.Sequence + 1);
        Start(now, new DhtOperation(own.Key, encoded, (_, _) => { }, now + Deadline) { Own = codec.Read(encoded) });
    }

    private List<OwnRecord> Due(TimeSpan now)
    {
        var due = new List<OwnRecord>();
        foreach (OwnRecord own in _own.Values)
        {
            if (own.Stands && now >= own.NextRenewal)
            {
                due.Add(own);
            }
        }

        return due;
    }

    /// <summary>Sends an own record to its replicas. Of a renewal the owner hears only if the record is lost.</summary>
    private void Put(TimeSpan now, OwnRecord own, Action<TimeSpan, DhtAnswer> done, bool isRenewal = false)
    {
        void Done(TimeSpan at, DhtAnswer answer)
        {
            if (!_own.TryGetValue(own.Key, out OwnRecord? current) || current != own)
            {
                return;
            }

            bool isOurs = answer.Record?.Owner.Address == core.Self;
            if (answer.Status == DhtStatus.Lost && isOurs && own.Bumps++ < OwnRecord.MaxBumps)
            {
                // A life of ours before this one signed a higher sequence: go above it.
                own.Sequence = answer.Record!.Sequence + 1;
                Put(at, own, done, isRenewal);
                return;
            }

            own.Bumps = 0;
            if (answer.Status == DhtStatus.Lost)
            {
                // A replica that had not heard of the winner may have taken ours; it must not come up when the winner's goes.
                // Once more later: what was stored may be overtaken on its way by what withdraws it.
                _own.Remove(own.Key);
                Withdraw(at, own);
                _withdrawAgain.Enqueue((at + RetryInterval, own));
                done(at, answer);
                return;
            }

            if (answer.Status == DhtStatus.Done)
            {
                own.Stands = true;
                own.NextRenewal = own.IsStale ? at : at + RenewInterval;
            }
            else if (!own.Stands)
            {
                _own.Remove(own.Key);
            }

            if (!isRenewal)
            {
                done(at, answer);
            }
        }

        own.IsStale = false;
        byte[] encoded = codec.Sign(own.Key, own.Value.Span, own.Sequence);
        Start(now, new DhtOperation(own.Key, encoded, Done, now + Deadline) { Own = codec.Read(encoded) });
    }

    private void Start(TimeSpan now, DhtOperation operation)
    {
        uint request;
        do
        {
            request = (uint)core.Random.Next(1, int.MaxValue);
        }
        while (_running.ContainsKey(request));

        _running.Add(request, operation);
        Send(now, request, operation);
    }

    private void Send(TimeSpan now, uint request, DhtOperation operation)
    {
        operation.NextTry = now + RetryInterval;
        byte[] body = new byte[StoreMessage.HeaderSize + ProtocolConstants.MaxRecordSize];
        for (byte replica = 0; replica < ProtocolConstants.Replicas && _running.ContainsKey(request); replica++)
        {
            if (operation.Answered[replica])
            {
                continue;
            }

            int length = operation.Encoded is { } encoded
                ? new StoreMessage(request, replica, (byte)RecordStore.Lifetime.TotalSeconds, encoded).Write(body)
                : new FetchMessage(request, replica, operation.Key).Write(body);
            RoutedType type = operation.Encoded is null ? RoutedType.Fetch : RoutedType.Store;
            core.Router.Originate(
                now, exact: false, type, ReplicaPositions.Of(operation.Key, replica), default, body.AsSpan(0, length));
        }
    }

    private void Decide(TimeSpan now, uint request, DhtOperation operation)
    {
        const int Majority = (ProtocolConstants.Replicas / 2) + 1;
        if (operation.Encoded is not null)
        {
            if (operation.Best is { } better)
            {
                Finish(now, request, operation, new DhtAnswer(DhtStatus.Lost, better));
            }
            else if (operation.Agreeing >= Majority)
            {
                Finish(now, request, operation, new DhtAnswer(DhtStatus.Done, operation.Own));
            }
            else if (operation.Refused >= Majority)
            {
                Finish(now, request, operation, new DhtAnswer(DhtStatus.Lost, null));
            }
        }
        else if (operation.Answers >= Majority)
        {
            DhtStatus status = operation.Best is null ? DhtStatus.NotFound : DhtStatus.Done;
            Finish(now, request, operation, new DhtAnswer(status, operation.Best));
        }
    }

    private void Finish(TimeSpan now, uint request, DhtOperation operation, DhtAnswer answer)
    {
        _running.Remove(request);
        operation.Done(now, answer);
    }
}
