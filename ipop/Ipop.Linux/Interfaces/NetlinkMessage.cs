using System.Runtime.InteropServices;

namespace Ipop.Linux.Interfaces;

/// <summary>Parts of the kernel's messages that are alike for routes and interfaces (netlink(7)), in the machine's byte order.</summary>
internal static class NetlinkMessage
{
    /// <summary>Flags of a request.</summary>
    internal const ushort Request = 1, Acknowledge = 4, Dump = 0x300, Replace = 0x100, Exclusive = 0x200, Create = 0x400;

    /// <summary>Kinds of answers.</summary>
    internal const ushort Error = 2, Done = 3;

    /// <summary>Bytes of the header.</summary>
    internal const int HeaderSize = 16;

    /// <summary>Bytes before an attribute's value.</summary>
    internal const int AttributeSize = 4;

    /// <summary>Writes the header of a request that takes all of the span.</summary>
    internal static void WriteHeader(Span<byte> message, ushort type, ushort flags, uint sequence)
    {
        MemoryMarshal.Write(message, (uint)message.Length);
        MemoryMarshal.Write(message[4..], type);
        MemoryMarshal.Write(message[6..], flags);
        MemoryMarshal.Write(message[8..], sequence);
    }

    /// <summary>Adds an attribute of four bytes; returns where the next one goes.</summary>
    internal static int Add(Span<byte> message, int at, ushort type, uint value)
    {
        Head(message, at, type, AttributeSize + sizeof(uint));
        MemoryMarshal.Write(message[(at + AttributeSize)..], value);
        return at + AttributeSize + sizeof(uint);
    }

    /// <summary>Writes the head of an attribute of so many bytes, its own included.</summary>
    internal static void Head(Span<byte> message, int at, ushort type, int length)
    {
        MemoryMarshal.Write(message[at..], (ushort)length);
        MemoryMarshal.Write(message[(at + 2)..], type);
    }
}
