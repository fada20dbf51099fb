using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace PoolRules.Tests;

/// <summary>
/// What each rule takes and what it refuses, from a file that the node's Python is tested by, too (test/node): a pool.conf is read by Python, what follows from
/// it by ipopd and the CA, and all three go by the same rules.
/// </summary>
public sealed class VectorTests
{
    private static readonly JsonElement Vectors = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(Clone, "test/PoolRules.Tests/vectors.json"))).RootElement;

    private static string Clone => global::Tests.CloneFolder.Path;

    [Fact]
    public void Labels() => Judge("labels", text => HostLabel.IsLegal(text));

    [Fact]
    public void Subnets()
    {
        Judge("subnets", text => Subnet.TryParse(text, out Subnet subnet) && subnet.KeptFor() is null && subnet.ToString() == text);
        Assert.All(Vectors.GetProperty("subnets").GetProperty("kept").EnumerateObject(), one => Assert.Equal(one.Value.GetString(), Subnet.Parse(one.Name).KeptFor()));
    }

    [Fact]
    public void Tickets() => Judge("tickets", text => Ticket.IsLegal(text));

    /// <summary>A letter in angle brackets stands for a digest of 64 of it.</summary>
    [Fact]
    public void Stacks() => Judge("stacks", text =>
    {
        byte[] whole = Encoding.UTF8.GetBytes(Regex.Replace(text, "<(.)>", letter => new string(letter.Groups[1].Value[0], 64)));
        bool isRead = PoolLayers.TryRead(whole, out PoolLayers? stack, out _);
        Assert.True(!isRead || whole.SequenceEqual(stack!.Write()), text);
        Assert.True(!isRead || stack!.Parts.Any(part => part.System.Count > 0) == text.Contains("\nkernel ", StringComparison.Ordinal), text);
        Assert.True(!isRead || stack!.Parts.Sum(part => part.Deltas.Count) == text.Split("\ndelta ").Length - 1, text);
        Assert.True(!isRead || stack!.Others.Count == text.Split("\narchitecture ").Length - 1, text);
        return isRead;
    });

    [Fact]
    public void Automatic_names() => Assert.All(
        Vectors.GetProperty("automatic_names").EnumerateObject(), one => Assert.Equal(one.Value.GetString(), HostLabel.Automatic(System.Net.IPAddress.Parse(one.Name))));

    [Fact]
    public void Overlaps() => Assert.All(Vectors.GetProperty("overlaps").EnumerateArray(), one =>
    {
        string[] other = one[1].GetString()!.Split('/');
        Assert.True(IPv4Address.TryParse(other[0], out IPv4Address network));
        Assert.True(one[2].GetBoolean() == Subnet.Parse(one[0].GetString()!).Overlaps(network, int.Parse(other[1], null)), one.ToString());
    });

    [Fact]
    public void Reserved_ranges() => Assert.All(Vectors.GetProperty("reserved").EnumerateArray(), one =>
    {
        string text = one.GetProperty("text").GetString()!;
        bool isRead = ReservedRanges.TryParse(Subnet.Parse(one.GetProperty("subnet").GetString()!), text, out _, out RangeFault? fault, out string part);
        Assert.True(one.GetProperty("fault").GetString() == fault?.ToString() && isRead == fault is null, $"{text}: {fault}");
        if (one.TryGetProperty("part", out JsonElement named))
        {
            Assert.Equal(named.GetString(), part);
        }
    });

    private static void Judge(string rule, Func<string, bool> isLegal)
    {
        foreach ((string list, bool expected) in new[] { ("legal", true), ("illegal", false) })
        {
            var texts = Vectors.GetProperty(rule).GetProperty(list).EnumerateArray().Select(one => one.GetString()!).ToList();
            Assert.NotEmpty(texts);
            Assert.All(texts, text => Assert.True(expected == isLegal(text), $"{rule}: '{text}'"));
        }
    }
}
