using System.Text;
using Brunet.Nat.PortMapping;

namespace Brunet.Tests.Nat.PortMapping;

public sealed class PlainXmlTests
{
    [Theory]
    [InlineData("<a>x</a>", "a=x")]
    [InlineData("\ufeff<?xml version=\"1.0\"?>\n<!-- <b> --><n:a q='>' r=\"</a>\">\n <b> 1 &amp; &#x41;&#66;&lt; </b><c/><![CDATA[z]]></n:a>\n", "b=1 & AB<;c=;a=-")]
    [InlineData("<a><b><![CDATA[<x>&amp;]]></b ></a>", "b=<x>&amp;;a=-")]
    [InlineData("<a><b>1</b>late</a>", "b=1;a=-")]
    public void What_gateways_write_is_read(string document, string expected)
    {
        var found = new List<string>();
        Assert.True(PlainXml.Read(Encoding.UTF8.GetBytes(document), (name, value) => found.Add($"{name}={value ?? "-"}")));
        Assert.Equal(expected, string.Join(';', found));
    }

    [Theory]
    [InlineData("")]
    [InlineData("text")]
    [InlineData("<a>")]
    [InlineData("<a></b>")]
    [InlineData("<a/><b/>")]
    [InlineData("<a></a>x")]
    [InlineData("</a>")]
    [InlineData("<a b='></a>")]
    [InlineData("<a<b></a>")]
    [InlineData("<1></1>")]
    [InlineData("<a>&unknown;</a>")]
    [InlineData("<a>&#xd800;</a>")]
    [InlineData("<a>&#65\0;</a>")]
    [InlineData("<a>&#x41\0;</a>")]
    [InlineData("<a>& b</a>")]
    [InlineData("<a><!-- </a>")]
    [InlineData("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>")]
    [InlineData("<![CDATA[x]]><a/>")]
    public void What_is_damaged_or_declares_types_is_refused(string document) =>
        Assert.False(PlainXml.Read(Encoding.UTF8.GetBytes(document), (_, _) => { }));

    [Fact]
    public void What_is_no_UTF_8_too_deep_or_too_long_is_refused_and_long_text_is_cut()
    {
        Assert.False(PlainXml.Read(new byte[] { (byte)'<', (byte)'a', (byte)'>', 0xff, (byte)'<', (byte)'/', (byte)'a', (byte)'>' }, (_, _) => { }));
        Assert.False(PlainXml.Read(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("<a>", 33)) + string.Concat(Enumerable.Repeat("</a>", 33))), (_, _) => { }));
        int length = 0;
        Assert.True(PlainXml.Read(Encoding.UTF8.GetBytes($"<a>{new string('x', 5000)}</a>"), (_, value) => length = value!.Length));
        Assert.Equal(1024, length);
    }
}
