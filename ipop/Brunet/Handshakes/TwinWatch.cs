using System.Security.Cryptography;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Handshakes;

/// <summary>
/// Two machines with one key, as clones of one image or copies of one snapshot are. Who has sessions with both tells each of the other;
/// each signs that it heard of the other, and believes nobody's word but such a signature. The smaller boot id goes on: both know both
/// numbers, so both decide alike, and neither clocks nor ages have to be believed.
/// </summary>
internal sealed class TwinWatch(LocalNode local, PeerTable peers, Transport transport) : IMessageTaker
{
    /// <summary>How long the yielding machine goes on, so that the other hears of it.</summary>
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(3);

    /// <summary>Sooner than the yielding machine is silent: a question or an answer may be lost.</summary>
    private static readonly TimeSpan AskAgainAfter = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan SignatureInterval = TimeSpan.FromSeconds(1);

    private readonly PerPeer<Kept> _kept = new(peers);

    private TimeSpan _nextSignature = TimeSpan.MinValue;
    private TimeSpan? _silentFrom;
    private ECDsa? _key;

    /// <summary>The last proven one; null if there was none.</summary>
    public TwinStatus? Status { get; private set; }

    /// <summary>Whether this machine has yielded: it neither sends nor hears.</summary>
    public bool IsSilent(TimeSpan now) => now >= _silentFrom;

    /// <summary>This machine is another one now.</summary>
    public void Reset() => (Status, _silentFrom) = (null, null);

    /// <summary>
    /// Something sealed in an older session came, whose boot id is not that of the current one. After a restart that is a late frame of the
    /// life before, and nobody will answer; else there are two.
    /// </summary>
    public void OnOtherBoot(TimeSpan now, Peer peer, Session older)
    {
        if (now < (_kept.Find(peer)?.NextQuestion ?? default) || peer.Current is not { } current)
        {
            return;
        }

        _kept.Of(peer).NextQuestion = now + AskAgainAfter;
        transport.Send(now, peer, current, TwinMessage.Ask(older.RemoteBoot), current.LastWay);
        transport.Send(now, peer, older, TwinMessage.Ask(current.RemoteBoot), older.LastWay);
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(MessageType.Twin, (in incoming, message) => Receive(incoming.Now, incoming.Peer, incoming.Session, message));

    /// <summary>A question, or a proof for this node or for one of a peer's two machines.</summary>
    public void Receive(TimeSpan now, Peer peer, Session session, ReadOnlySpan<byte> message)
    {
        if (message.Length == TwinMessage.QuestionSize)
        {
            Answer(now, peer, session, TwinMessage.Named(message));
        }
        else if (message.Length == TwinMessage.ProofSize)
        {
            ulong named = TwinMessage.Named(message);
            ulong signer = TwinMessage.Signer(message);
            if (named != local.Boot.Current)
            {
                HandOn(now, peer, session, named, signer, message);
            }
            else if (!local.Boot.IsOwn(signer) && IsSigned(message))
            {
                OnProven(now, signer);
            }
        }
    }

    /// <summary>There is another machine with our key, without doubt.</summary>
    public void OnProven(TimeSpan now, ulong other)
    {
        Status = new TwinStatus(local.Boot.Current, other, now);
        if (Status.MustYield)
        {
            _silentFrom ??= now + Grace;
        }
    }

    private void HandOn(TimeSpan now, Peer peer, Session? to, ulong named, ReadOnlySpan<byte> proof)
    {
        if (to?.RemoteBoot == named)
        {
            transport.Send(now, peer, to, proof, to.LastWay);
        }
    }

    private void HandOn(TimeSpan now, Peer peer, Session from, ulong named, ulong signer, ReadOnlySpan<byte> proof)
    {
        if (signer != from.RemoteBoot)
        {
            return;
        }

        HandOn(now, peer, peer.Current, named, proof);
        foreach (Session older in peer.Older)
        {
            HandOn(now, peer, older, named, proof);
        }
    }

    /// <summary>Somebody says that there is another; if it is so, the other can use our signature, else nobody can.</summary>
    private void Answer(TimeSpan now, Peer peer, Session session, ulong other)
    {
        if (local.Boot.IsOwn(other) || now < _nextSignature)
        {
            return;
        }

        _nextSignature = now + SignatureInterval;
        transport.Send(now, peer, session, TwinMessage.Prove(local.Identity.Sign, other, session.LocalBoot), session.LastWay);
    }

    private bool IsSigned(ReadOnlySpan<byte> proof)
    {
        if (_key is null)
        {
            _key = ECDsa.Create();
            _key.ImportSubjectPublicKeyInfo(local.Identity.PublicKey.Span, out _);
        }

        return _key.VerifyData(
            TwinMessage.Signed(proof), TwinMessage.Signature(proof), HashAlgorithmName.SHA256, DSASignatureFormat.IeeeP1363FixedFieldConcatenation);
    }

    private sealed class Kept
    {
        /// <summary>When the peer's machines may be asked again whether they are two.</summary>
        public TimeSpan NextQuestion { get; set; }
    }
}
