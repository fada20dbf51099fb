using System.Security.Cryptography;
using System.Text;

namespace CertificateProfile.Tests;

public sealed class StackKeysTests : IDisposable
{
    private readonly ECDsa[] _keys = [.. Enumerable.Range(0, StackKeys.Most + 2).Select(_ => ECDsa.Create(ECCurve.NamedCurves.nistP384))];

    private ECDsa Authority => _keys[0];

    public void Dispose() => Array.ForEach(_keys, key => key.Dispose());

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(StackKeys.Most)]
    public void Keys_that_each_signed_the_next_come_back_from_their_text(int count)
    {
        byte[] text = Chain(count).Write();
        Assert.True(StackKeys.TryRead(text, Authority, out StackKeys? keys));
        Assert.Equal(count, keys.Count);
        Assert.Equal(text, keys.Write());
        Assert.Equal(_keys[count].ExportSubjectPublicKeyInfo(), keys.Newest.ToArray());
        Assert.Equal(_keys[1..(count + 1)].Select(key => key.ExportSubjectPublicKeyInfo()), keys.All.Select(key => key.ToArray()));
        using ECDsa? newest = StackKeys.Open(keys.Newest.Span);
        Assert.NotNull(newest);
        Assert.True(text.Length < 4096);
    }

    [Fact]
    public void There_is_a_most() => Assert.Throws<ArgumentException>(() => StackKeys.Add(Chain(StackKeys.Most), _keys[StackKeys.Most], _keys[StackKeys.Most + 1]));

    [Fact]
    public void Signed_is_what_is_documented()
    {
        string[] words = Encoding.ASCII.GetString(Chain(2).Write()).Split('\n')[2].Split(' ');
        byte[] key = Convert.FromBase64String(words[1]);
        Assert.Equal(_keys[2].ExportSubjectPublicKeyInfo(), key);
        byte[] content = [.. "wow-stack-key-1"u8, 2, .. key];
        Assert.True(_keys[1].VerifyData(
            content, Convert.FromBase64String(words[2]), HashAlgorithmName.SHA384, DSASignatureFormat.IeeeP1363FixedFieldConcatenation));
    }

    [Fact]
    public void What_another_than_the_key_before_signed_is_none()
    {
        StackKeys one = Chain(1);
        foreach (StackKeys forged in (StackKeys[])[StackKeys.Add(null, _keys[3], _keys[1]), StackKeys.Add(one, Authority, _keys[2]), StackKeys.Add(one, _keys[2], _keys[2])])
        {
            Assert.False(StackKeys.TryRead(forged.Write(), Authority, out _));
        }

        Assert.False(StackKeys.TryRead(one.Write(), _keys[1], out _), "of another CA");
    }

    [Fact]
    public void Some_go_on_from_others_when_they_begin_with_them()
    {
        StackKeys one = Chain(1), three = Chain(3), other = StackKeys.Add(null, Authority, _keys[2]);
        Assert.True(three.Continue(one) && three.Continue(three) && three.Continue(Chain(3)));
        Assert.False(one.Continue(three) || three.Continue(other) || other.Continue(one));
    }

    [Fact]
    public void Whatever_is_changed_or_cut_is_found()
    {
        byte[] whole = Chain(2).Write();
        for (int i = 0; i < whole.Length; i++)
        {
            byte[] changed = [.. whole];
            changed[i] ^= 1;
            Assert.False(StackKeys.TryRead(changed, Authority, out _), $"byte {i}");
        }

        for (int length = 0; length < whole.Length; length += 7)
        {
            Assert.False(StackKeys.TryRead(whole.AsSpan(0, length), Authority, out _), $"{length} bytes");
        }
    }

    [Fact]
    public void Anything_else_is_none()
    {
        string whole = Encoding.ASCII.GetString(Chain(1).Write());
        string[] words = whole.Split('\n')[1].Split(' ');
        using var small = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        foreach (string text in (string[])
            [
                "", "wow-keys 1\n", "wow-keys 2" + whole[10..], whole + "\n", whole[..^1], whole + whole[11..], whole.Replace(" ", "  ", StringComparison.Ordinal), " " + whole,
                whole.Replace("key ", "Key ", StringComparison.Ordinal), $"wow-keys 1\nkey {words[1]}\n", $"wow-keys 1\nkey {words[1]} {words[2]} {words[2]}\n",
                $"wow-keys 1\nkey {words[1]} {words[2][..64]}\n", $"wow-keys 1\nkey {words[1]}\t{words[2]}\n", Encoding.ASCII.GetString(StackKeys.Add(null, Authority, small).Write()),
                whole.Replace("\n", "\r\n", StringComparison.Ordinal),
            ])
        {
            Assert.False(StackKeys.TryRead(Encoding.ASCII.GetBytes(text), Authority, out _), text);
        }

        Assert.False(StackKeys.TryRead(new byte[1 << 20], Authority, out _));
        Assert.False(StackKeys.TryRead(Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(whole, 40))), Authority, out _));
    }

    private StackKeys Chain(int count) =>
        Enumerable.Range(1, count).Aggregate((StackKeys?)null, (former, which) => StackKeys.Add(former, _keys[which - 1], _keys[which]))!;
}
