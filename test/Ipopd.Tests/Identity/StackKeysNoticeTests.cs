using System.Security.Cryptography;
using Brunet;
using CertificateProfile;
using Ipopd.Composition;
using Ipopd.Logging;
using Ipopd.State;
using Testing.Simulation;

namespace Ipopd.Tests.Identity;

/// <summary>Another key signs the pool's stack: what a machine believes from then on, after a restart, and when it was off meanwhile. key 0 is the CA's.</summary>
public sealed class StackKeysNoticeTests : IDisposable
{
    private const byte Stack = Agreed.StackNotice, Term = Agreed.TermNotice, Origins = Agreed.OriginsNotice, Keys = Agreed.KeysNotice;
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-keys").FullName;
    private readonly ECDsa[] _keys = [.. Enumerable.Range(0, 5).Select(_ => ECDsa.Create(ECCurve.NamedCurves.nistP384))];
    private readonly byte[] _authority;
    private readonly List<IDisposable> _owned = [];
    private NoticeBoard _board;

    public StackKeysNoticeTests()
    {
        Assert.True(PoolProfile.TryCreate("lab", "10.128.0.0/16", out PoolProfile? pool, out _));
        _authority = CertificateIssuer.CreateAuthority(pool, _keys[0], DateTimeOffset.UtcNow);
        _board = Start();
    }

    public void Dispose()
    {
        _owned.ForEach(one => one.Dispose());
        Array.ForEach(_keys, key => key.Dispose());
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void The_newest_key_alone_signs_stacks_and_terms_and_the_CA_all_else()
    {
        Assert.Null(Publish(Stack, 5, 0));
        Assert.Null(PublishKeys(1));
        Assert.Equal(ControlCode.BadNotice, Publish(Stack, 6, 0));
        Assert.Equal(ControlCode.BadNotice, Publish(Term, 6, 0));
        Assert.Null(Publish(Stack, 6, 1));
        Assert.Null(Publish(Term, 6, 1));
        Assert.Equal(ControlCode.BadNotice, Publish(Origins, 6, 0));
        Assert.Null(Publish(Origins, 6, 1));
        Assert.Equal(ControlCode.BadNotice, Publish(2, 6, 1));
        Assert.Null(Publish(2, 6, 0));
        Assert.Null(PublishKeys(2));
        Assert.Equal(ControlCode.BadNotice, Publish(Stack, 7, 1));
        Assert.Null(Publish(Stack, 7, 2));
    }

    [Fact]
    public void A_machine_that_was_off_for_several_changes_follows_them_all()
    {
        Assert.Null(PublishKeys(4));
        Assert.Equal(ControlCode.BadNotice, Publish(Stack, 6, 3));
        Assert.Null(Publish(Stack, 6, 4));
    }

    [Fact]
    public void After_a_restart_it_believes_no_former_key_and_has_the_stack()
    {
        Assert.Null(PublishKeys(2));
        Assert.Null(Publish(Stack, 6, 2));
        Assert.Null(Publish(Origins, 6, 2));
        _board = Start();
        Assert.Equal(ControlCode.NoticeKnown, Publish(Stack, 6, 2));
        Assert.Equal(ControlCode.NoticeKnown, Publish(Origins, 6, 2));
        Assert.Equal(ControlCode.BadNotice, Publish(Stack, 7, 0));
        Assert.Equal(ControlCode.BadNotice, Publish(Stack, 7, 1));
        Assert.Null(Publish(Stack, 7, 2));
    }

    [Fact]
    public void Who_has_the_CA_s_key_names_no_other_one_and_keeps_no_later_one_out()
    {
        Assert.Null(PublishKeys(1));
        StackKeys forged = StackKeys.Add(StackKeys.Add(null, _keys[0], _keys[4]), _keys[4], _keys[3]);
        Assert.Equal(ControlCode.BadNotice, Take(Sign(Keys, 2, 0, forged.Write())));
        Assert.Equal(ControlCode.BadNotice, Take(Sign(Keys, ulong.MaxValue, 0, Chain(1).Write())));
        Assert.Equal(ControlCode.BadNotice, Take(Sign(Keys, 2, 0, Chain(1).Write())));
        Assert.Equal(ControlCode.BadNotice, Take(Sign(Keys, 2, 0, [1])));
        Assert.Equal(ControlCode.BadNotice, Take(Sign(Keys, 2, 1, Chain(2).Write())));
        Assert.Equal(ControlCode.NoticeKnown, PublishKeys(1));
        Assert.Null(PublishKeys(2));
        Assert.Null(Publish(Stack, 6, 2));
    }

    [Fact]
    public void What_a_former_key_signed_is_gone_when_another_one_is_heard_and_a_lower_number_of_that_counts()
    {
        byte[] kinds = [Stack, Term, Origins];
        Assert.All(kinds, kind => Assert.Null(Publish(kind, 1_000_000, 0)));
        Assert.Null(Publish(2, 9, 0));
        Assert.Null(PublishKeys(1));
        Assert.All(kinds, kind => Assert.False(File.Exists(NoticeFile.Path(_folder, kind))));
        Assert.All(kinds, kind => Assert.Null(Publish(kind, 6, 1)));
        Assert.All(kinds, kind => Assert.Equal(ControlCode.BadNotice, Publish(kind, 1_000_001, 0)));
        Assert.Equal(ControlCode.NoticeKnown, Publish(2, 9, 0));
        Assert.All(kinds, kind => Assert.Equal(6ul, NoticeFile.Load(NoticeFile.Path(_folder, kind))!.Number));

        // A daemon of before kept them beside the keys.
        File.WriteAllBytes(NoticeFile.Path(_folder, Stack), Sign(Stack, 1_000_000, 0, [1]));
        _board = Start();
        Assert.False(File.Exists(NoticeFile.Path(_folder, Stack)));
        Assert.Equal(ControlCode.NoticeKnown, Publish(Term, 6, 1));
        Assert.Null(Publish(Stack, 6, 1));
    }

    [Fact]
    public void A_file_that_rotted_is_as_none_and_what_is_told_counts()
    {
        Assert.Null(PublishKeys(1));
        string path = NoticeFile.Path(_folder, Keys);
        byte[] bytes = File.ReadAllBytes(path);
        bytes[^9] ^= 1;
        File.WriteAllBytes(path, bytes);
        _board = Start();
        Assert.Null(PublishKeys(1));
        Assert.Null(Publish(Stack, 6, 1));
    }

    [Fact]
    public void Keys_of_the_configuration_disk_refuse_another_first_key_and_follow_what_goes_on_from_them()
    {
        StackKeys forged = StackKeys.Add(null, _keys[0], _keys[4]);
        Bring(Sign(Keys, 1, 0, Chain(1).Write()));
        Assert.Equal(ControlCode.NoticeKnown, PublishKeys(1));
        Assert.Equal(ControlCode.BadNotice, Publish(Stack, 5, 0));
        Assert.Equal(ControlCode.BadNotice, Take(Sign(Keys, 2, 0, StackKeys.Add(forged, _keys[4], _keys[3]).Write())));
        Assert.Contains("2 keys that sign the pool's stack and do not go on from the 1 that this machine knows", _board.KeysTrouble, StringComparison.Ordinal);
        Assert.Null(PublishKeys(3));
        Assert.Null(_board.KeysTrouble);
        Assert.Null(Publish(Stack, 5, 3));
        _board = Start();
        Assert.Equal(ControlCode.NoticeKnown, PublishKeys(3));
        Assert.Equal(ControlCode.NoticeKnown, Publish(Stack, 5, 3));
    }

    [Fact]
    public void A_new_configuration_disk_ends_what_was_heard_before_and_an_older_one_does_not()
    {
        StackKeys others = StackKeys.Add(null, _keys[0], _keys[4]);
        Assert.Null(PublishKeys(2));
        Bring(Sign(Keys, 1, 0, Chain(1).Write()));
        Assert.Equal(ControlCode.NoticeKnown, PublishKeys(2));
        Assert.Null(Publish(Stack, 5, 2));
        Bring(Sign(Keys, 1, 0, others.Write()));
        Assert.Equal(ControlCode.BadNotice, PublishKeys(2));
        Assert.Equal(ControlCode.BadNotice, Publish(Stack, 6, 2));
        Assert.Null(Publish(Stack, 5, 4));
        Assert.Equal(ControlCode.NoticeKnown, Take(File.ReadAllBytes(NoticeFile.Path(_folder, Keys))));
    }

    [Fact]
    public void A_file_of_the_disk_that_is_none_is_as_no_file()
    {
        byte[] whole = Sign(Keys, 1, 0, Chain(1).Write());
        foreach (byte[] bytes in (byte[][])[[], [1], whole[..^1], Sign(Keys, 1, 1, Chain(1).Write()), Sign(Keys, 2, 0, Chain(1).Write()), Sign(Stack, 1, 0, Chain(1).Write()), new byte[70000]])
        {
            Bring(bytes);
            Assert.Null(Publish(Stack, 5, 0));
            File.Delete(NoticeFile.Path(_folder, Stack));
        }
    }

    [Fact]
    public void Of_two_that_were_made_from_one_copy_the_first_that_was_heard_stays_and_the_other_one_is_told()
    {
        Assert.Null(PublishKeys(2));
        StackKeys others = StackKeys.Add(Chain(1), _keys[1], _keys[4]);
        Assert.NotNull(Take(Sign(Keys, 2, 3, others.Write())));
        Assert.Null(_board.KeysTrouble);
        Assert.Equal(ControlCode.BadNotice, Take(Sign(Keys, 2, 0, others.Write())));
        Assert.Contains("2 keys that sign the pool's stack and do not go on from the 2 that this machine knows", _board.KeysTrouble, StringComparison.Ordinal);
        Assert.Equal(ControlCode.BadNotice, Publish(Stack, 5, 4));
        Assert.Null(Publish(Stack, 5, 2));
        Assert.Equal(ControlCode.NoticeKnown, PublishKeys(2));

        // Whose keys the machine knows ends it by the next one.
        Assert.Null(PublishKeys(3));
        Assert.Null(_board.KeysTrouble);
        Assert.Null(Publish(Stack, 6, 3));
    }

    [Fact]
    public void The_message_says_where_to_sign()
    {
        Assert.Null(PublishKeys(1));
        string path = Path.Combine(_folder, "some.notice");
        File.WriteAllBytes(path, Sign(Stack, 9, 0, [1]));
        Assert.Contains("does not go on from key 1", _board.Publish(default, path)?.Text, StringComparison.Ordinal);
    }

    private NoticeBoard Start()
    {
        Node node = new SimulatedNetwork(seed: 1).Add(NatKind.None, new SmallerOwnerWins()).Node;
        var board = new NoticeBoard(node, _folder, _authority, default, new StateWrites(), new LineLogger(new StringWriter(), hasLevels: false));
        _owned.Add(board);
        return board;
    }

    /// <summary>The configuration disk brings this file, and the daemon starts.</summary>
    private void Bring(byte[] file)
    {
        File.WriteAllBytes(Path.Combine(_folder, FileNames.FirstKeys), file);
        _board = Start();
    }

    private StackKeys Chain(int count) =>
        Enumerable.Range(1, count).Aggregate((StackKeys?)null, (former, which) => StackKeys.Add(former, _keys[which - 1], _keys[which]))!;

    private string? PublishKeys(int count) => Take(Sign(Keys, (ulong)count, 0, Chain(count).Write()));

    private string? Publish(byte kind, ulong number, int key) => Take(Sign(kind, number, key, [1]));

    private byte[] Sign(byte kind, ulong number, int key, byte[] body) => NoticeIssuer.Sign(_keys[key], kind, number, body);

    /// <summary>The code with which it is refused; null if it is taken.</summary>
    private string? Take(byte[] file)
    {
        string path = Path.Combine(_folder, "some.notice");
        File.WriteAllBytes(path, file);
        return _board.Publish(default, path)?.Code;
    }
}
