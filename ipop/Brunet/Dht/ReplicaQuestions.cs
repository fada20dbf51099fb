using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>
/// What goes to the replicas of a key. Each question has its own random number. A router that sees one question
/// can answer that one, and cannot speak for another replica.
/// </summary>
internal sealed class ReplicaQuestions(LocalNode local, Agenda agenda, GreedyRouter router)
{
    /// <summary>What each number asked.</summary>
    [Own("four for each that runs")]
    private readonly Dictionary<uint, (DhtOperation Operation, byte Replica)> _asked = [];

    /// <summary>From a question to its answer: what is silent for clearly longer lost the one or the other, and is asked again.</summary>
    private RoundTripEstimate _roundTrip;

    /// <summary>Draws the numbers of an operation, by which answers are believed from now on.</summary>
    public void Add(DhtOperation operation)
    {
        for (byte replica = 0; replica < ProtocolConstants.Replicas; replica++)
        {
            uint number;
            do
            {
                number = (uint)local.Random.NextInt64(1, 1L << 32);
            }
            while (!_asked.TryAdd(number, (operation, replica)));

            operation.Numbers[replica] = number;
        }
    }

    /// <summary>Answers to an operation come too late from now on.</summary>
    public void Remove(DhtOperation operation)
    {
        foreach (uint number in operation.Numbers)
        {
            _asked.Remove(number);
        }
    }

    /// <summary>What a reply answers; null if nobody asked for it, or its replica has spoken.</summary>
    public DhtOperation? AnsweredBy(TimeSpan now, in ReplyMessage reply)
    {
        if (!_asked.TryGetValue(reply.Request, out (DhtOperation Operation, byte Replica) asked) || asked.Replica != reply.Replica
            || asked.Operation.Answered[reply.Replica])
        {
            return null;
        }

        if (asked.Operation.Tries == 1)
        {
            // An answer to a repeated question may be that to its first asking (Karn's rule, RFC 6298 section 3).
            _roundTrip.Add(now - asked.Operation.AskedAt);
        }

        return asked.Operation;
    }

    /// <summary>Asks the replicas that have not answered.</summary>
    public void Ask(TimeSpan now, DhtOperation operation)
    {
        operation.NextTry = now + _roundTrip.After(operation.Tries++);
        operation.AskedAt = now;
        agenda.Wake(operation.NextTry);
        Span<byte> body = stackalloc byte[FetchMessage.MaxSize];

        // What this node answers itself may end the operation.
        for (byte replica = 0; replica < ProtocolConstants.Replicas && _asked.ContainsKey(operation.Numbers[replica]); replica++)
        {
            if (operation.Answered[replica])
            {
                continue;
            }

            if (operation.Encoded is { } encoded)
            {
                Store(now, operation.Numbers[replica], replica, (ushort)RecordLife.Of(operation.Key.Kind).TotalSeconds, operation.Key, encoded);
            }
            else
            {
                int length = new FetchMessage(operation.Numbers[replica], replica, operation.Key).Write(body);
                router.Originate(now, exact: false, RoutedType.Fetch, ReplicaPositions.Of(operation.Key, replica), default, body[..length]);
            }
        }
    }

    /// <summary>Sends a record to one replica.</summary>
    /// <param name="now">The present.</param>
    /// <param name="request">The question's number; 0 if no answer is wanted.</param>
    /// <param name="replica">Which one.</param>
    /// <param name="life">Seconds that it is to be kept.</param>
    /// <param name="key">Its key.</param>
    /// <param name="encoded">The record as its owner signed it.</param>
    public void Store(TimeSpan now, uint request, byte replica, ushort life, RecordKey key, byte[] encoded)
    {
        Span<byte> body = stackalloc byte[StoreMessage.HeaderSize + ProtocolConstants.MaxRecordSize];
        int length = new StoreMessage(request, replica, life, encoded).Write(body);
        router.Originate(now, exact: false, RoutedType.Store, ReplicaPositions.Of(key, replica), default, body[..length]);
    }

    /// <summary>Puts what a lookup found where a replica named none or a worse one; it gets no more life than was left to it.</summary>
    public void Repair(TimeSpan now, DhtOperation operation, IRecordPolicy policy)
    {
        if (operation.Believed is not { Life: > 0 } best)
        {
            return;
        }

        for (byte replica = 0; replica < ProtocolConstants.Replicas; replica++)
        {
            DhtRecord? named = operation.Voices[replica]?.Record;
            if (operation.Answered[replica]
                && (named is null || (!RecordOrder.AreSame(named, best.Record) && RecordOrder.Beats(policy, best.Record, named))))
            {
                Store(now, 0, replica, best.Life, operation.Key, best.Encoded);
            }
        }
    }
}
