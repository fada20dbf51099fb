using Ipop.Addresses;
using Ipop.Router;

namespace Ipop.Packets;

/// <summary>
/// The Ethernet stations behind the tap and their addresses: this machine alone, or in router mode also the hosts of its LAN. Says who may speak for an
/// address and where packets to it go. Allocates nothing.
/// </summary>
internal sealed class Stations
{
    private readonly AddressHolder _machine;

    /// <param name="tapMac">The tap's own address as it was made.</param>
    /// <param name="machine">The machine's own address.</param>
    /// <param name="lan">The hosts of the LAN; null without router mode.</param>
    public Stations(MacAddress tapMac, AddressHolder machine, LanHosts? lan) => (TapMac, _machine, Lan) = (tapMac, machine, lan);

    /// <summary>The hosts of the LAN; null without router mode.</summary>
    public LanHosts? Lan { get; }

    /// <summary>This machine's Ethernet address.</summary>
    public MacAddress TapMac { get; private set; }

    /// <summary>
    /// udev may give the tap another address after it was made; who speaks for the local address is believed. In a LAN nobody is: there the machine is
    /// who has the tap's address.
    /// </summary>
    public void Learn(MacAddress station)
    {
        if (Lan is null && !station.IsGroup)
        {
            TapMac = station;
        }
    }

    /// <summary>Whether the station may use the address: it is the machine's, or that of the host with this very Ethernet address.</summary>
    public bool Speaks(TimeSpan now, MacAddress station, IPv4Address address)
    {
        if (Lan is null)
        {
            return address == _machine.Bound;
        }

        return station == TapMac ? address == _machine.Bound : Lan.Speaks(now, station, address);
    }

    /// <summary>Whether the address belongs behind the tap, and to which station; false for those of others and nobody's.</summary>
    public bool TryFind(IPv4Address address, out MacAddress station)
    {
        if (address == _machine.Bound)
        {
            station = TapMac;
            return true;
        }

        if (Lan?.Find(address) is { } host)
        {
            station = host.Mac;
            return true;
        }

        station = default;
        return false;
    }

    /// <summary>Whether the address belongs behind the tap.</summary>
    public bool IsLocal(IPv4Address address) => TryFind(address, out _);

    /// <summary>Whether a station may cause one more question to the DHT. Without router mode there is nobody to be protected from another.</summary>
    public bool MayAsk(TimeSpan now, MacAddress station) => Lan is null || station == TapMac || Lan.MayAsk(now, station);
}
