using System.Xml;

namespace Brunet.Nat.PortMapping;

/// <summary>Walks an XML document of a stranger: no DTD, nothing is fetched, sizes are bounded. The framework's reader, loaded only when a gateway answered.</summary>
internal static class PlainXml
{
    /// <summary>Longest text of an element that is kept.</summary>
    private const int LongestText = 1024;

    private const int Deepest = 32;

    /// <summary>What an element holds, at its end.</summary>
    /// <param name="name">Without prefix.</param>
    /// <param name="value">Its text, null if it has elements in it.</param>
    public delegate void Visitor(string name, string? value);

    /// <summary>Calls the visitor at the end of each element; false if the document is damaged or out of bounds.</summary>
    public static bool Read(ReadOnlyMemory<byte> document, Visitor visitor)
    {
        var settings = new XmlReaderSettings
        {
            DtdProcessing = DtdProcessing.Prohibit,
            XmlResolver = null,
            MaxCharactersInDocument = HttpReply.Longest,
            MaxCharactersFromEntities = 1,
            IgnoreComments = true,
            IgnoreProcessingInstructions = true,
            CloseInput = true,
        };
        try
        {
            using var stream = new System.IO.MemoryStream(document.ToArray(), writable: false);
            using var reader = XmlReader.Create(stream, settings);
            Walk(reader, visitor);
            return true;
        }
        catch (Exception exception) when (exception is XmlException or ArgumentException or System.Text.DecoderFallbackException)
        {
            return false;
        }
    }

    private static void Walk(XmlReader reader, Visitor visitor)
    {
        string? text = null;
        while (reader.Read())
        {
            switch (reader.NodeType)
            {
                case XmlNodeType.Element when reader.Depth >= Deepest:
                    throw new XmlException("too deep");
                case XmlNodeType.Element when reader.IsEmptyElement:
                    visitor(reader.LocalName, "");
                    text = null;
                    break;
                case XmlNodeType.Element:
                    text = "";
                    break;
                case XmlNodeType.Text or XmlNodeType.CDATA or XmlNodeType.SignificantWhitespace when text is not null && text.Length < LongestText:
                    text += reader.Value[..Math.Min(reader.Value.Length, LongestText)];
                    break;
                case XmlNodeType.EndElement:
                    visitor(reader.LocalName, text?.Trim());
                    text = null;
                    break;
                default:
                    break;
            }
        }
    }
}
