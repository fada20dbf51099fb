namespace Brunet.Nat.PortMapping;

/// <summary>Finds the service that maps ports in a gateway's device description (UPnP Device Architecture 1.1 section 2.3).</summary>
/// <param name="Service">Its type, one of <see cref="Services"/>.</param>
/// <param name="Control">Where it is called.</param>
internal sealed record IgdDescription(string Service, GatewayUrl Control)
{
    /// <summary>The services that map ports, the best first.</summary>
    public static IReadOnlyList<string> Services { get; } =
    [
        "urn:schemas-upnp-org:service:WANIPConnection:2",
        "urn:schemas-upnp-org:service:WANIPConnection:1",
        "urn:schemas-upnp-org:service:WANPPPConnection:1",
    ];

    /// <summary>Whether it knows AddAnyPortMapping.</summary>
    public bool IsSecond => Service == Services[0];

    /// <summary>Reads a description; null if it is none, or has no such service on the gateway itself.</summary>
    public static IgdDescription? Read(ReadOnlyMemory<byte> xml, GatewayUrl location, MappingGateway gateway)
    {
        IgdDescription? best = null;
        string? service = null;
        string? control = null;
        bool isSane = PlainXml.Read(xml, (name, value) =>
        {
            switch (name)
            {
                case "service":
                    best = Better(best, service, location.Resolve(control, gateway));
                    (service, control) = (null, null);
                    break;
                case "serviceType":
                    service = value ?? service;
                    break;
                case "controlURL":
                    control = value ?? control;
                    break;
                case "URLBase" when value is { Length: > 0 }:
                    location = GatewayUrl.Parse(value, gateway) ?? location;
                    break;
                default:
                    break;
            }
        });
        return isSane ? best : null;
    }

    private static IgdDescription? Better(IgdDescription? best, string? service, GatewayUrl? control)
    {
        int rank = Rank(service);
        return control is null || rank < 0 || (best is not null && Rank(best.Service) <= rank) ? best : new IgdDescription(Services[rank], control);
    }

    private static int Rank(string? service)
    {
        for (int rank = 0; rank < Services.Count; rank++)
        {
            if (Services[rank] == service)
            {
                return rank;
            }
        }

        return -1;
    }
}
