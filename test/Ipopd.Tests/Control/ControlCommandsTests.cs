using System.Text;
using Ipopd.Control;

namespace Ipopd.Tests.Control;

public sealed class ControlCommandsTests
{
    private readonly FakeControlled _daemon = new();

    [Fact]
    public void Status_and_peers_have_the_documented_form()
    {
        Assert.Equal(
            """{"ok":true,"node":"ab","pool":"demo","open":false,"zone":"demo.internal","subnet":"10.128.0.0/16","address":null,"host":null,"certified":true,"certificate":{"serial":"0A","not_before":"2026-11-21T00:00:00Z","not_after":"2026-12-21T00:00:00Z","renew_from":"2026-12-11T00:00:00Z","address":"10.128.3.4","host":"alpha","role":"worker"},"ring":{"joined":true,"connections":3,"near":2,"relayed":{"frames":4,"bytes":5000,"refused":1}},"manager":"10.128.0.1","managers":[{"host":"manager","address":"10.128.0.1","ca":true},{"host":"second","address":"10.128.0.2","ca":false}],"nat":{"kind":"none","text":"no NAT","outside":["192.0.2.9:4433"],"inside":["192.0.2.9:4433"],"filtering":"independent","keep_alive_s":120},"udp":{"port":4433,"sent_datagrams":1,"sent_bytes":2,"received_datagrams":3,"received_bytes":4,"heard_s":0.5},"carried":{"sent_bytes":30,"received_bytes":88,"speed":500,"waits":6},"bootstrap":[{"entry":"udp:192.0.2.1:4433","addresses":["192.0.2.1:4433"],"linked":true}],"tap":"wow0","dns":null,"uptime_s":5,"port_mapping":null,"revocations":{"number":7,"certificates":2},"clock":{"follows":"hypervisor","device":"rtc0","error_s":-0.25,"zone_min":120,"voices":5,"set":true,"trouble":null},"offload":[{"name":"udp-runs","on":false,"why":"one by one"}],"shortages":{"count":3,"last_s":12},"router":{"limit":64,"hosts":[{"mac":"02:aa:00:00:00:01","address":"10.128.7.8","lease_s":599,"heard_s":0.5}]},"warnings":[{"code":"twin","text":"it's \"quoted\""}]}""",
            Ask("""{"command":"status"}"""));
        Assert.Equal(
            """{"ok":true,"peers":[{"node":"cd","address":"10.128.0.1","host":"boss","path":"direct","endpoint":"192.0.2.1:4433","rtt_ms":1.5,"certified":true,"sent_bytes":10,"received_bytes":20,"age_s":30,"boot":"00000000000000ab","relay":null,"loss":0.125,"mtu":1439,"why_not_direct":null,"key_exchange":"x25519","use":"near"}]}""",
            Ask("""{"command":"peers"}"""));
    }

    [Fact]
    public void Ping_trace_and_metrics_have_the_documented_form()
    {
        const string Boss = """{"node":"cd","address":"10.128.0.1","host":"boss"}""";
        Assert.Equal(
            $$$"""{"ok":true,"target":{{{Boss}}},"session":true,"rtt_ms":1.5,"wait_ms":5000,"path":"relay","endpoint":null,"relay":"ef","boot":"00000000000000ab","boot_met_s":12.5}""",
            Ask("""{"command":"ping","target":"boss"}"""));
        Assert.Contains("\"wait_ms\":250,", Ask("""{"command":"ping","target":"boss","timeout_ms":250}"""), StringComparison.Ordinal);
        Assert.Equal(
            $$$"""{"ok":true,"target":{{{Boss}}},"session":true,"path":"direct","why_not_direct":null,"paths":[{"path":"direct","endpoint":"192.0.2.1:4433","relay":null,"used":true,"alive":true,"rtt_ms":1.5,"loss":0,"heard_s":0.2}],"ring":null}""",
            Ask("""{"command":"trace","target":"boss"}"""));
        Assert.EndsWith(
            $$$""","ring":{"arrived":true,"hops":[{"hop":1,"node":{{{Boss}}},"ms":2.5,"next":null,"next_path":null,"next_rtt_ms":null,"end":"arrived"}]}}""",
            Ask("""{"command":"trace","target":"boss","ring":true}"""),
            StringComparison.Ordinal);
        Assert.Equal("""{"ok":true,"text":"# HELP a \"b\"\n"}""", Ask("""{"command":"metrics"}"""));
    }

    [Fact]
    public void Orders_are_carried_out_and_answered()
    {
        Assert.Equal("""{"ok":true}""", Ask("""{"command":"reload"}"""));
        _daemon.ReloadTrouble = new(ControlCode.BadCertificate, "node.pem is missing; enrol");
        Assert.Equal("""{"ok":false,"error":"node.pem is missing; enrol","code":"bad-certificate"}""", Ask("""{"command":"reload"}"""));
        Assert.Equal("""{"ok":true}""", Ask("""{"command":"refuse-address","address":"10.128.3.4"}"""));
        Assert.Equal([new IPv4Address(0x0a800304)], _daemon.Refused);
        Assert.Equal("""{"ok":true,"address":"10.128.3.4"}""", Ask("""{"command":"resolve","name":"alpha"}"""));
        Assert.Equal("""{"ok":true}""", Ask("""{"command":"limit","speed":500}"""));
        Assert.Equal("""{"ok":true}""", Ask("""{"command":"limit","speed":0}"""));
        Assert.Equal("""{"ok":true}""", Ask("""{"command":"limit"}"""));
        Assert.Equal([500, null, null], _daemon.Speeds);
        Assert.Equal("""{"ok":true}""", Ask("""{"command":"stop"}"""));
        Assert.True(_daemon.IsStopped);
    }

    [Theory]
    [InlineData("reload")]
    [InlineData("refuse-address")]
    [InlineData("publish-notice")]
    [InlineData("limit")]
    [InlineData("stop")]
    public void Who_may_only_ask_changes_nothing(string command)
    {
        string reply = Ask($$"""{"command":"{{command}}","address":"10.128.3.4","file":"/etc/shadow"}""", mayChange: false);
        Assert.Contains("\"code\":\"not-permitted\"", reply, StringComparison.Ordinal);
        Assert.Contains($"only root may ask for '{command}'", reply.Replace("\\u0027", "'", StringComparison.Ordinal), StringComparison.Ordinal);
        Assert.Empty(_daemon.Refused);
        Assert.Empty(_daemon.Speeds);
        Assert.False(_daemon.IsStopped);
    }

    [Fact]
    public void Every_request_of_the_contract_is_carried_out()
    {
        foreach (ControlRequestKind kind in ControlRequest.Kinds)
        {
            string reply = Ask($$"""{"command":"{{kind.Command}}","address":"10.128.3.4","file":"/good","name":"alpha","target":"boss"}""");
            Assert.StartsWith("""{"ok":true""", reply, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("nonsense", "not a JSON object", "bad-request")]
    [InlineData("", "not a JSON object", "bad-request")]
    [InlineData("[1]", "not a JSON object", "bad-request")]
    [InlineData("null", "not a JSON object", "bad-request")]
    [InlineData("{\"command\":\"status\"} {}", "not a JSON object", "bad-request")]
    [InlineData("{\"command\":1}", "a field that is a string is something else", "bad-request")]
    [InlineData("{\"command\":\"\\ud800\"}", "not a JSON object", "bad-request")]
    [InlineData("{}", "command '' is unknown; use status, peers", "unknown-command")]
    [InlineData("""{"command":"dance"}""", "command 'dance' is unknown; use status, peers", "unknown-command")]
    [InlineData("""{"command":"refuse-address"}""", "'' is not an IPv4 address", "bad-request")]
    [InlineData("""{"command":"refuse-address","address":"10.1"}""", "'10.1' is not an IPv4 address", "bad-request")]
    [InlineData("""{"command":"resolve"}""", "no name; send", "bad-request")]
    [InlineData("""{"command":"limit","speed":-1}""", "speed -1 is not from 0 to 1000000", "bad-request")]
    [InlineData("""{"command":"limit","speed":1000001}""", "speed 1000001 is not from 0 to 1000000", "bad-request")]
    [InlineData("""{"command":"limit","speed":0.5}""", "a field that is an integer is something else", "bad-request")]
    [InlineData("""{"command":"publish-notice"}""", "no file; send", "bad-request")]
    [InlineData("""{"command":"publish-notice","file":"/bad"}""", "/bad holds no notice", "bad-notice")]
    [InlineData("""{"command":"resolve","name":"beta"}""", "'beta' was not found", "not-found")]
    [InlineData("""{"command":"ping"}""", "no target; send", "bad-request")]
    [InlineData("""{"command":"trace","target":""}""", "no target; send", "bad-request")]
    [InlineData("""{"command":"ping","target":"x"}""", "'x' was not found", "not-found")]
    [InlineData("""{"command":"trace","target":"x"}""", "'x' was not found", "not-found")]
    [InlineData("""{"command":"ping","target":"boss","timeout_ms":0}""", "timeout_ms 0 is not from 1 to 60000", "bad-request")]
    [InlineData("""{"command":"ping","target":"boss","timeout_ms":"1"}""", "not a JSON object", "bad-request")]
    public void What_can_not_be_done_is_told_to_people_and_to_programs(string line, string expected, string code)
    {
        string reply = Ask(line);
        Assert.Contains(expected, reply, StringComparison.Ordinal);
        Assert.EndsWith($",\"code\":\"{code}\"}}", reply, StringComparison.Ordinal);
    }

    private string Ask(string line, bool mayChange = true)
    {
        string? answer = null;
        new ControlCommands(_daemon).Execute(TimeSpan.FromSeconds(5), mayChange, Encoding.UTF8.GetBytes(line), reply => answer = Encoding.UTF8.GetString(reply));
        return answer!;
    }
}
