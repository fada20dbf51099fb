using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>The fields of what comes from the tap and of what is inside it.</summary>
internal static class PacketLayouts
{
    private const int DhcpOptions = 240;

    /// <summary>An Ethernet frame.</summary>
    public static List<Field> Frame(byte[] frame)
    {
        var walker = new FieldWalker(frame);
        walker.Bytes(6).Bytes(6);
        walker.Type();
        int type = walker.Type();
        if (type == 6)
        {
            walker.Number(2);
            walker.Number(2);
            walker.Number(1);
            walker.Number(1);
            walker.Number(2);
            walker.Bytes(6).Bytes(4).Bytes(6).Bytes(4).Rest();
        }
        else
        {
            IPv4(walker);
        }

        return walker.Fields;
    }

    /// <summary>An IPv4 packet.</summary>
    public static List<Field> Packet(byte[] packet)
    {
        var walker = new FieldWalker(packet);
        IPv4(walker);
        return walker.Fields;
    }

    /// <summary>A DHCP message.</summary>
    public static List<Field> Dhcp(byte[] message)
    {
        var walker = new FieldWalker(message);
        Dhcp(walker);
        return walker.Fields;
    }

    /// <summary>A DNS message.</summary>
    public static List<Field> Dns(byte[] message)
    {
        var walker = new FieldWalker(message);
        walker.Number(2);
        walker.Type();
        walker.Type();
        int questions = walker.Number(2);
        int records = walker.Number(2) + walker.Number(2) + walker.Number(2);
        for (int i = 0; i < Math.Min(questions, 4) && !walker.IsAtEnd; i++)
        {
            int start = walker.Position;
            Name(walker);
            walker.Number(2);
            walker.Number(2);
            walker.Group(start);
        }

        for (int i = 0; i < Math.Min(records, 8) && !walker.IsAtEnd; i++)
        {
            int start = walker.Position;
            Name(walker);
            walker.Number(2);
            walker.Number(2);
            walker.Number(4);
            walker.Bytes(walker.Number(2));
            walker.Group(start);
        }

        walker.Rest();
        return walker.Fields;
    }

    private static void Name(FieldWalker walker)
    {
        for (int i = 0; i < 130 && !walker.IsAtEnd; i++)
        {
            int start = walker.Position;
            int length = walker.Number(1);
            if (length == 0)
            {
                return;
            }

            walker.Bytes(length >= 0xc0 ? 1 : length);
            walker.Group(start);
            if (length >= 0xc0)
            {
                return;
            }
        }
    }

    private static void IPv4(FieldWalker walker)
    {
        int start = walker.Position;
        int head = 4 * (walker.Number(1) & 15);
        walker.Number(1);
        walker.Number(2);
        walker.Number(2);
        walker.Number(2);
        walker.Number(1);
        int protocol = walker.Type();
        walker.Number(2);
        walker.Bytes(4).Bytes(4).Bytes(head - 20);
        walker.Group(start);
        walker.Number(2);
        int port = walker.Number(2);
        walker.Number(2);
        walker.Number(2);
        if (protocol == 17 && port is 67 or 68)
        {
            Dhcp(walker);
        }
        else
        {
            walker.Number(4);
            walker.Type();
            walker.Type();
            walker.Rest();
        }
    }

    private static void Dhcp(FieldWalker walker)
    {
        int start = walker.Position;
        for (int i = 0; i < 4; i++)
        {
            walker.Type();
        }

        walker.Number(4);
        walker.Number(2);
        walker.Number(2);
        walker.Bytes(4).Bytes(4).Bytes(4).Bytes(4).Bytes(16).Bytes(64).Bytes(128).Bytes(4);
        walker.Bytes(start + DhcpOptions - walker.Position);
        for (int i = 0; i < 64 && !walker.IsAtEnd; i++)
        {
            int option = walker.Position;
            if (walker.Type() is 0 or 255)
            {
                continue;
            }

            walker.Bytes(walker.Number(1));
            walker.Group(option);
        }

        walker.Rest();
    }

}
