using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Dht;

/// <summary>
/// The asker's side: an operation goes to all replicas at once and again to those that are silent; a majority decides. Records of the
/// local node are renewed until they are released. What a lookup found is put where it is missing.
/// </summary>
internal sealed class DhtClient(LocalNode local, Agenda agenda, GreedyRouter router, RecordCodec codec, IRecordPolicy policy) : IMessageTaker, ITimed
{
    private const int Majority = (ProtocolConstants.Replicas / 2) + 1;

    /// <summary>A loser withdraws once more after this.</summary>
    private static readonly TimeSpan WithdrawAgainAfter = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan NotYetInterval = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(10);

    /// <summary>How long a lookup that has enough answers waits for the others: a silent replica costs no more.</summary>
    private static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(250);

    /// <summary>How long what one replica alone names waits for what the others say: it may lie, and be the nearest.</summary>
    private static readonly TimeSpan LoneGrace = TimeSpan.FromSeconds(2);

    /// <summary>How long answers are heard after the asker has its own.</summary>
    private static readonly TimeSpan LateAnswers = TimeSpan.FromSeconds(1);

    /// <summary>An owner that is told of another's record looks at once, but not more often than this.</summary>
    private static readonly TimeSpan DoubtInterval = TimeSpan.FromSeconds(5);

    [Own("the node's own records")]
    private readonly Queue<(TimeSpan At, OwnRecord Lost)> _withdrawAgain = new();

    [Own("what the node asks: its caches are bounded")]
    private readonly List<DhtOperation> _running = [];

    private readonly ReplicaQuestions _questions = new(local, agenda, router);

    [Own("the node's own records")]
    private readonly Dictionary<RecordKey, OwnRecord> _own = [];

    /// <summary>When an operation has to be gone on with, or a record renewed.</summary>
    public TimeSpan NextTick
    {
        get
        {
            TimeSpan next = _withdrawAgain.TryPeek(out (TimeSpan At, OwnRecord Lost) again) ? again.At : TimeSpan.MaxValue;
            foreach (OwnRecord own in _own.Values)
            {
                next = own.Stands ? Earlier(next, own.NextRenewal) : next;
            }

            foreach (DhtOperation operation in _running)
            {
                next = Earlier(next, operation.Deadline);
                if (!operation.IsOver)
                {
                    next = Earlier(next, operation.NextTry);
                    next = Earlier(next, operation.AnswerAt);
                }
            }

            return next;
        }
    }

    public void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, DhtAnswer> done) =>
        Start(now, new DhtOperation(key, null, done, now + Deadline));

    public void Create(TimeSpan now, RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done)
    {
        var own = new OwnRecord(key, value, done);
        if (_own.TryGetValue(key, out OwnRecord? before))
        {
            own.Raise(before.Sequence + 1);
        }
        else if (EndPut(key) is { } withdrawn)
        {
            // What withdraws the one before would take this one away where it comes later.
            own.Raise(withdrawn + 1);
        }

        _own[key] = own;
        Put(now, own, done);
    }

    public void Release(TimeSpan now, RecordKey key)
    {
        if (_own.Remove(key, out OwnRecord? own))
        {
            bool mayBeOnItsWay = EndPut(key) is not null;
            Withdraw(now, own);
            if (mayBeOnItsWay)
            {
                _withdrawAgain.Enqueue((now + WithdrawAgainAfter, own));
            }
        }
    }

    /// <summary>The local certificate changed: all records are signed anew with it.</summary>
    public void IdentityChanged(TimeSpan now)
    {
        foreach (OwnRecord own in _own.Values)
        {
            own.Raise(own.Sequence + 1);
            own.NextRenewal = now;
            own.IsStale = true;
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(RoutedType.Reply, (now, _, in _, body) => OnReply(now, body));

    public void OnReply(TimeSpan now, ReadOnlySpan<byte> body)
    {
        if (!ReplyMessage.TryRead(body, out ReplyMessage reply))
        {
            return;
        }

        if (reply.Request == 0)
        {
            OnDoubt(now, reply);
            agenda.WakeSoon();
            return;
        }

        if (_questions.AnsweredBy(now, reply) is not { } operation)
        {
            return;
        }

        agenda.WakeSoon();
        if (reply.Status == ReplyStatus.NotYet)
        {
            operation.NextTry = Earlier(operation.NextTry, now + NotYetInterval);
            return;
        }

        DhtRecord? record = null;
        if (reply.Status is ReplyStatus.Stands or ReplyStatus.Missing && (reply.Status == ReplyStatus.Stands || !reply.Record.IsEmpty))
        {
            record = codec.Read(reply.Record) is { } read && read.Key == operation.Key && (reply.Status == ReplyStatus.Stands || read.Value.IsEmpty)
                && policy.IsAllowed(read) ? read : null;

            // What counts no longer, as a revoked certificate's, is nothing to who looks: a replica that says so untruly is one voice for nothing, as one that says nothing.
            if (record is null && (operation.Encoded is not null || RecordCodec.ReadKey(reply.Record) != operation.Key))
            {
                return;
            }
        }

        if (record is not null && operation.Own is { } mine
            && (RecordOrder.Beats(policy, mine, record) || (operation.PassesOverEarlier && record.Owner.Address == local.Self)))
        {
            // Ours must stand there: the replica errs or lies. It is asked again, and the others decide.
            return;
        }

        operation.Answered[reply.Replica] = true;
        operation.Answers++;
        operation.Agreeing += reply.Status == ReplyStatus.Stored ? 1 : 0;
        operation.Refused += reply.Status == ReplyStatus.Refused ? 1 : 0;
        operation.Voices[reply.Replica] = record is null ? null : new Voice(record, reply.Record.ToArray(), reply.Life);
        operation.Believed = Voices.Believed(policy, operation.Voices, out bool isCertain);
        operation.IsCertain = isCertain;
        Decide(now, operation);
    }

    public void Tick(TimeSpan now)
    {
        foreach (OwnRecord own in Due(now))
        {
            own.NextRenewal = now + RecordLife.FirstRenewal;
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

        if (_running.Count == 0)
        {
            return;
        }

        foreach (DhtOperation operation in _running.ToArray())
        {
            if (!_running.Contains(operation))
            {
                continue;
            }

            if (now >= operation.Deadline)
            {
                Finish(now, operation, new DhtAnswer(DhtStatus.TimedOut, operation.Found));
            }
            else if (now >= operation.AnswerAt && !operation.IsOver)
            {
                Answer(now, operation);
            }
            else if (now >= operation.NextTry && !operation.IsOver)
            {
                _questions.Ask(now, operation);
            }
        }
    }

    /// <summary>Somebody says that another's record stands in place of an own one. The replicas are asked, as at a renewal.</summary>
    private void OnDoubt(TimeSpan now, in ReplyMessage reply)
    {
        if (reply.Status == ReplyStatus.Stands && RecordCodec.ReadKey(reply.Record) is { } key && _own.TryGetValue(key, out OwnRecord? own)
            && own.Stands)
        {
            // Where two rings become one, the replicas that are asked now may be the old ones; what is said meanwhile is not forgotten.
            own.IsDoubted = true;
            own.NextRenewal = Earlier(own.NextRenewal, AfterDoubt(now, own));
        }
    }

    private static TimeSpan AfterDoubt(TimeSpan now, OwnRecord own) => own.LastPut + DoubtInterval > now ? own.LastPut + DoubtInterval : now;

    private void Withdraw(TimeSpan now, OwnRecord own)
    {
        byte[] encoded = codec.Sign(own.Key, [], own.Sequence + 1);
        Start(now, new DhtOperation(own.Key, encoded, (_, _) => { }, now + Deadline) { Own = codec.Read(encoded) });
    }

    /// <summary>What is on its way to the replicas for a key is sent no more, and who waited for its end hears of none. Returns its sequence; null if nothing is.</summary>
    private ulong? EndPut(RecordKey key)
    {
        ulong? sequence = null;
        foreach (DhtOperation put in _running.FindAll(operation => operation.Encoded is not null && operation.Key == key))
        {
            sequence = Math.Max(sequence ?? 0, put.Own?.Sequence ?? 0);
            _running.Remove(put);
            _questions.Remove(put);
        }

        return sequence;
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

            if (answer.Status == DhtStatus.Lost && answer.Record?.Owner.Address == local.Self)
            {
                // A life of ours before this one signed a higher sequence: go above it.
                own.Bumps++;
                own.Raise(answer.Record!.Sequence + 1);
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
                _withdrawAgain.Enqueue((at + WithdrawAgainAfter, own));
                done(at, answer);
                return;
            }

            if (answer.Status == DhtStatus.Done)
            {
                own.NextRenewal = own.IsStale ? at : own.IsDoubted ? AfterDoubt(at, own) : at + NextRenewal(own);
                own.Stands = true;
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
        own.IsDoubted = false;
        own.LastPut = now;
        (byte[] encoded, DhtRecord? record) = own.Sign(codec);
        Start(now, new DhtOperation(own.Key, encoded, Done, now + Deadline) { Own = record, PassesOverEarlier = own.Bumps >= OwnRecord.MaxBumps });
    }

    private TimeSpan NextRenewal(OwnRecord own)
    {
        TimeSpan interval = own.Stands ? RecordLife.RenewalOf(own.Key.Kind) : RecordLife.FirstRenewal;
        return interval * (1 + (RecordLife.Jitter * ((2 * local.Random.NextDouble()) - 1)));
    }

    private void Start(TimeSpan now, DhtOperation operation)
    {
        _questions.Add(operation);
        _running.Add(operation);
        _questions.Ask(now, operation);
    }

    private void Decide(TimeSpan now, DhtOperation operation)
    {
        if (operation.Encoded is not null)
        {
            if (operation.Verdict(local.Self, Majority) is { } verdict)
            {
                Finish(now, operation, verdict);
            }

            return;
        }

        // A record that several replicas have is there; that none has it, all must say, or enough and the others nothing.
        bool isFound = operation.Found is not null;
        bool isEnough = operation.Answers >= Majority || (isFound && operation.IsCertain);
        operation.AnswerAt = isEnough ? Earlier(operation.AnswerAt, now + Grace) : isFound ? Earlier(operation.AnswerAt, now + LoneGrace) : operation.AnswerAt;
        if (!operation.IsOver && (operation.Answers == ProtocolConstants.Replicas || (isFound && operation.IsCertain && operation.Answers >= Majority)))
        {
            Answer(now, operation);
        }
        else if (operation.IsOver && operation.Answers == ProtocolConstants.Replicas)
        {
            Finish(now, operation, default);
        }
    }

    /// <summary>Tells the asker of a lookup; answers that come later may show what is to be repaired.</summary>
    private void Answer(TimeSpan now, DhtOperation operation)
    {
        DhtRecord? found = operation.Found;
        var answer = new DhtAnswer(found is null ? DhtStatus.NotFound : DhtStatus.Done, found);
        if (operation.Answers == ProtocolConstants.Replicas || operation.Believed is null)
        {
            Finish(now, operation, answer);
            return;
        }

        operation.IsOver = true;
        operation.Deadline = Earlier(operation.Deadline, now + LateAnswers);
        operation.Done(now, answer);
    }

    private void Finish(TimeSpan now, DhtOperation operation, DhtAnswer answer)
    {
        if (!_running.Remove(operation))
        {
            return;
        }

        _questions.Remove(operation);
        if (operation.Encoded is null)
        {
            _questions.Repair(now, operation, policy);
        }

        if (!operation.IsOver)
        {
            operation.IsOver = true;
            operation.Done(now, answer);
        }
    }
}
