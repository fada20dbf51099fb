"""What may pass the tap (wow0) of a machine: ARP, DHCP, IKE and ESP, ipopd's own ICMP errors; before its certificate also the talk with the CA."""

from frames import ARP, ESP, ICMP, IPV4, TCP, UDP

CA_PORT = 8443
"""The CA's enrolment port (docs/reference/certificates.md)."""

POSSESSION_PORT = 8444
"""Where a machine proves to the CA that it holds its address (docs/reference/certificates.md)."""

FAREWELL = 60
"""Seconds for which Linux answers for a connection that has ended (TIME_WAIT, RFC 9293 section 3.6.1)."""

DHCP_PORTS = {67, 68}
IKE_PORT = 500

IPOPD = "10.128.255.254"
"""ipopd's own address in the lab's subnet: no machine may have it, and what comes from it never was on a wire (docs/reference/network.md)."""


class TapRule:
    """Classifies packets of a machine's tap.

    ca is the manager's virtual address; certified says for each other virtual address when its certificate was installed
    (seconds since 1970). From then on its packets to and from the CA outside ESP are forbidden; slack (seconds) covers the
    goodbye of a connection that was open at that moment. FAREWELL covers what of it carries nothing: an acknowledgement that was
    late, and the RST that it gets. The packets come in the order of their times.
    """

    def __init__(self, ca, certified, slack=2.0):
        self._ca = ca
        self._until = {address: moment + slack for address, moment in certified.items()}
        self._open = set()

    def __call__(self, packet, time):
        if packet.ethertype == ARP:
            return "ARP"
        if packet.ethertype != IPV4:
            return None
        if packet.protocol == ESP:
            return "ESP"
        if packet.protocol == UDP and packet.ports() and packet.ports() <= DHCP_PORTS:
            return "DHCP"
        if packet.protocol == UDP and packet.source_port == packet.target_port == IKE_PORT:
            return "IKE"
        if packet.protocol == ICMP and packet.source == IPOPD:
            return "ICMP error"
        return self._enrolment(packet, time) if packet.protocol == TCP else None

    def _enrolment(self, packet, time):
        if packet.source == self._ca:
            other, at_ca, at_other = packet.target, packet.source_port, packet.target_port
        elif packet.target == self._ca:
            other, at_ca, at_other = packet.source, packet.target_port, packet.source_port
        else:
            return None
        until = self._until.get(other, float("-inf"))
        if time <= until:
            self._open.add((other, at_ca, at_other))
        elif packet.size != 0 or time > until + FAREWELL or (other, at_ca, at_other) not in self._open:
            return None
        if at_ca == CA_PORT:
            return "enrolment"
        return "possession" if at_other == POSSESSION_PORT else None
