using Brunet.Dht;
using Brunet.Nat.PortMapping;
using Brunet.Notices;
using Brunet.Sessions;
using Brunet.Wire;
using CaService;
using CaService.Admin;
using CaService.Est;
using CertificateProfile;
using Ipop.Arp;
using Ipop.Clock;
using Ipop.Dhcp;
using Ipop.Dns;
using Ipop.Ethernet;
using Ipop.Linux.Handshakes;
using Ipop.Linux.Interfaces;
using Ipop.Linux.Routes;
using Ipop.Linux.Tcp;
using Ipop.Offload;
using Ipop.Packets;
using Ipopd.Configuration;
using Ipopd.Control;
using Ipopd.State;

namespace Fuzz.Coverage;

/// <summary>What each target reads its input by: whose lines it has to reach.</summary>
internal static class Parsers
{
    private static readonly Dictionary<string, Type[]> OfTarget = new()
    {
        ["ping"] = [typeof(PingMessage)],
        ["pong"] = [typeof(PongMessage)],
        ["knock-ask"] = [typeof(KnockAskMessage)],
        ["knock-done"] = [typeof(KnockDoneMessage)],
        ["mtu-probe"] = [typeof(MtuProbeMessage)],
        ["clock-ask"] = [typeof(ClockAskMessage)],
        ["clock-answer"] = [typeof(ClockAnswerMessage)],
        ["mtu-answer"] = [typeof(MtuAnswerMessage)],
        ["elsewhere"] = [typeof(ElsewhereMessage)],
        ["meet"] = [typeof(MeetMessage)],
        ["neighbours"] = [typeof(AddressList)],
        ["found"] = [typeof(AddressList)],
        ["candidates"] = [typeof(CandidatesMessage)],
        ["relay"] = [typeof(RelayHeader)],
        ["collect"] = [typeof(CollectMessage)],
        ["collected"] = [typeof(CollectedMessage)],
        ["copy"] = [typeof(CopyMessage)],
        ["announce"] = [typeof(AnnounceMessage)],
        ["notice-ask"] = [typeof(NoticeAskMessage)],
        ["notice-piece"] = [typeof(NoticePieceMessage)],
        ["routed"] = [typeof(RoutedHeader)],
        ["store"] = [typeof(StoreMessage)],
        ["fetch"] = [typeof(FetchMessage)],
        ["reply"] = [typeof(ReplyMessage)],
        ["trace"] = [typeof(TraceMessage)],
        ["traced"] = [typeof(TracedMessage)],
        ["handshake-frame"] = [typeof(HandshakeFrame)],
        ["knock"] = [typeof(KnockFrame)],
        ["handshake-stream"] = [typeof(HandshakeStream)],
        ["stream-framing"] = [typeof(StreamFraming)],
        ["tls-crossing"] = [typeof(TlsCrossing)],
        ["record"] = [typeof(RecordCodec)],
        ["tls"] = [typeof(OpenSslHandshake), typeof(HandshakeTerms)],
        ["node-stranger"] = [typeof(DataHeader)],
        ["node-member"] = [typeof(TwinMessage)],
        ["tap"] = [typeof(EthernetFrame), typeof(ArpResponder)],
        ["lan"] = [typeof(EthernetFrame)],
        ["overlay"] = [typeof(IPv4Packet)],
        ["dns"] = [typeof(DnsQuery), typeof(WireName)],
        ["dhcp"] = [typeof(DhcpRequest)],
        ["arp"] = [typeof(ArpPacket)],
        ["ipv4"] = [typeof(IPv4Packet), typeof(UdpDatagram)],
        ["joined"] = [typeof(UdpDatagrams), typeof(TcpSegments), typeof(PacketParts)],
        ["certificate"] =
        [
            typeof(MemberCertificateReader), typeof(PoolAuthority), typeof(EnrolmentRequest), typeof(RevocationList), typeof(CertificateFields),
            typeof(AlternativeNames), typeof(DistinguishedName), typeof(IpAddressBlocks), typeof(NameConstraints), typeof(FixedExtensions),
        ],
        ["certs-only"] = [typeof(CertsOnly)],
        ["possession-question"] = [typeof(Possession)],
        ["possession-answer"] = [typeof(Possession)],
        ["ticket"] = [typeof(BasicCredentials)],
        ["ticket-id"] = [typeof(TicketTerms)],
        ["admin-request"] = [typeof(AdminRequest)],
        ["keys"] = [typeof(StackKeys)],
        ["pem"] = [typeof(CertificatePem)],
        ["est"] = [typeof(EstHandler), typeof(HttpAnswer)],
        ["layers"] = [typeof(LayerHandler)],
        ["configuration"] = [typeof(IniFile), typeof(DaemonOptionsReader), typeof(BootstrapEntry)],
        ["control"] = [typeof(ControlCommands), typeof(ControlRequest)],
        ["ntp"] = [typeof(NtpMessage)],
        ["gateway"] = [typeof(PcpAnswer), typeof(NatPmpAnswer)],
        ["route"] = [typeof(RouteMessage), typeof(NetlinkMessage)],
        ["peers-file"] = [typeof(PeersFile)],
        ["hosts-file"] = [typeof(HostsFile)],
        ["address-file"] = [typeof(LastAddress)],
        ["notice-file"] = [typeof(NoticeFile)],
        ["managers"] = [typeof(ManagerList)],
        ["stack"] = [typeof(PoolLayers)],
        ["term"] = [typeof(StackTerm)],
        ["origins"] = [typeof(OriginList)],
        ["drained"] = [typeof(DrainedList)],
        ["upnp"] = [typeof(SsdpSearch), typeof(HttpReply), typeof(HttpHead), typeof(IgdDescription), typeof(PlainXml), typeof(SoapReply), typeof(GatewayUrl)],
    };

    /// <summary>Names of the assemblies that they are in.</summary>
    public static IEnumerable<string> Assemblies => OfTarget.Values.SelectMany(types => types).Select(type => type.Assembly.GetName().Name!).Distinct();

    /// <summary>The parsers of a target.</summary>
    /// <exception cref="KeyNotFoundException">The target is new: say above what it reads by.</exception>
    public static Type[] Of(FuzzTarget target) => OfTarget[target.Name];
}
