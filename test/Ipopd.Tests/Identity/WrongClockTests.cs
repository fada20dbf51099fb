using System.Net;
using System.Security.Cryptography;
using Brunet.Sessions;
using CertificateProfile;
using Ipop.Linux.Handshakes;
using Ipopd.Configuration;
using Ipopd.Identity;
using Ipopd.State;
using Testing.Simulation;

namespace Ipopd.Tests.Identity;

/// <summary>Real certificates and handshakes in the simulated world, each machine with a wall clock of its own.</summary>
public sealed class WrongClockTests : IDisposable
{
    private static readonly DateTimeOffset Present = new(2026, 5, 1, 12, 0, 0, TimeSpan.Zero);
    private static readonly TimeSpan Day = TimeSpan.FromDays(1);

    private readonly string _folder = Directory.CreateTempSubdirectory("wow-clocks").FullName;
    private readonly ECDsa _authorityKey = ECDsa.Create(ECCurve.NamedCurves.nistP384);
    private readonly List<Machine> _machines = [];
    private readonly PoolAuthority _authority;
    private readonly DaemonOptions _options;

    public WrongClockTests()
    {
        Assert.True(PoolProfile.TryCreate("lab", "10.128.0.0/16", out PoolProfile? pool, out _));
        File.WriteAllText(StateFolder.AuthorityFile(_folder), CertificatePem.Write(CertificateIssuer.CreateAuthority(pool, _authorityKey, Present - (100 * Day))));
        _authority = PoolAuthority.Load(StateFolder.AuthorityFile(_folder));
        string path = Path.Combine(_folder, "ipopd.conf");
        File.WriteAllText(
            path, $"[node]\nstate = {_folder}\n[pool]\nname = lab\nsubnet = 10.128.0.0/16\nsecret = {new string('0', 64)}\n[control]\nsocket = {_folder}/socket\n");
        _options = DaemonOptionsReader.Load(path);
    }

    public void Dispose()
    {
        _machines.ForEach(machine => machine.Dispose());
        _authorityKey.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    /// <summary>Its certificates ended half a day later, or began half a day ago.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public void A_machine_whose_clock_was_a_day_off_and_its_peer_have_each_others_certificate_again_without_a_restart(int days)
    {
        DateTimeOffset issued = days > 0 ? Present + (Day / 2) - PoolProfile.LeafLifetime : Present - (Day / 2);
        var world = new SimulatedNetwork(seed: 7) { HandshakesOf = identity => new Machine(identity, this, issued).Handshakes };
        for (int i = 0; i < 3; i++)
        {
            world.Add(NatKind.None, new SmallerOwnerWins(), isOpen: false, certified: false);
            world.Run(TimeSpan.FromSeconds(4));
        }

        (SimulatedNode wrong, SimulatedNode right) = (world.Nodes[1], world.Nodes[2]);
        Talk(isCertified: true);

        SetClock(Present + (days * Day));
        Assert.Null(wrong.Identity.Certificate);
        Talk(isCertified: false);

        SetClock(Present);
        Talk(isCertified: true);

        void SetClock(DateTimeOffset time)
        {
            _machines[1].SetClock(time);

            // As Rounds does where the believed time jumped.
            wrong.Node.IdentityChanged(world.Now);
        }

        void Talk(bool isCertified)
        {
            wrong.Node.Send(world.Now, right.Node.Address, [1]);
            world.Run(TimeSpan.FromSeconds(5));
            Assert.Equal((isCertified, isCertified), (Knows(wrong, right), Knows(right, wrong)));
        }

        bool Knows(SimulatedNode node, SimulatedNode peer) => node.Node.Peers(world.Now).Single(known => known.Identity.Address == peer.Node.Address).Identity.Certificate is not null;
    }

    /// <summary>What ipopd has of one machine for this.</summary>
    private sealed class Machine : TimeProvider, IDisposable
    {
        private readonly SimulatedIdentity _identity;
        private readonly ECDsa _key;
        private readonly PoolCertificateVerifier _verifier;
        private readonly MemberCertificate _held;
        private DateTimeOffset _now = Present;

        public Machine(SimulatedIdentity identity, WrongClockTests tests, DateTimeOffset issued)
        {
            (_identity, _key, _verifier) = (identity, identity.CreateKey(), PoolCertificateVerifier.Load(tests._options, this));
            int number = tests._machines.Count + 1;
            byte[] der = CertificateIssuer.CreateMember(
                tests._authority, tests._authorityKey, identity.PublicKey.Span, new IPAddress([10, 128, 0, (byte)number]), $"n{number}", MemberRole.Worker, issued);
            _held = _verifier.VerifyIgnoringTime(der)!;
            Handshakes = new OpenSslHandshakeProvider(_key, der, _verifier);
            identity.Certificate = _held;
            tests._machines.Add(this);
        }

        public OpenSslHandshakeProvider Handshakes { get; }

        public override DateTimeOffset GetUtcNow() => _now;

        /// <summary>Puts the certificate aside while it is out of date.</summary>
        public void SetClock(DateTimeOffset now)
        {
            _now = now;
            _identity.Certificate = _verifier.OutOfDate(_held) is null ? _held : null;
            Handshakes.UseCertificate(_identity.Certificate is { } certificate ? certificate.Der.Span : []);
        }

        public void Dispose()
        {
            Handshakes.Dispose();
            _key.Dispose();
        }
    }
}
