-- Dissects the overlay's datagrams as docs/protocol.md has them: handshake frames with the TLS records in them, and the heads of data
-- frames. For Wireshark and tshark 4.0 and newer; docs/operating.md says how to use it. What is sealed stays sealed: no node writes
-- keys down. The filter name is `wownet`, for `wow` is taken by a game.

local HANDSHAKE, DATA, KNOCK, ESP = 0x10, 0x11, 0x12, 0x13
local VERSION = 1
local HANDSHAKE_HEAD, HANDSHAKE_MAX = 92, 1052
local DATA_HEAD, TAG, DATA_MIN, DATA_MAX = 16, 16, 33, 9248
local KNOCK_SIZE = 46
local ESP_HEAD, ESP_MIN, ESP_MAX = 28, 76, 9247
local RECORD_HEAD, RECORD_MAX = 5, 16384 + 256 -- RFC 8446 section 5.2

local wow = Proto("wownet", "WOW overlay")

local types = { [HANDSHAKE] = "Handshake", [DATA] = "Data", [KNOCK] = "Knock", [ESP] = "ESP" }
local kinds = { [1] = "Question", [2] = "Knock" }
local records = { [20] = "Change Cipher Spec", [21] = "Alert", [22] = "Handshake", [23] = "Encrypted" }
local messages = { [1] = "Client Hello", [2] = "Server Hello" }

local fields = {
    type = ProtoField.uint8("wownet.type", "Type", base.HEX, types),
    version = ProtoField.uint8("wownet.version", "Version"),
    reserved = ProtoField.bytes("wownet.reserved", "Reserved"),
    mac = ProtoField.bytes("wownet.mac", "MAC, keyed with the pool's secret"),
    sender_index = ProtoField.uint32("wownet.sender_index", "Sender's index", base.HEX),
    receiver_index = ProtoField.uint32("wownet.receiver_index", "Receiver's index", base.HEX),
    sender = ProtoField.bytes("wownet.sender", "Sender's address (a claim)"),
    target = ProtoField.bytes("wownet.target", "Target's address"),
    offset = ProtoField.uint32("wownet.offset", "Offset in the sender's stream"),
    ack = ProtoField.uint32("wownet.ack", "Bytes of the receiver's stream that the sender has"),
    cookie = ProtoField.bytes("wownet.cookie", "Cookie"),
    data = ProtoField.bytes("wownet.data", "Data"),
    data_length = ProtoField.uint32("wownet.data.length", "Length of the data"),
    record = ProtoField.string("wownet.record", "TLS record that ends here"),
    salt = ProtoField.bytes("wownet.salt", "Salt of the nonce"),
    counter = ProtoField.uint64("wownet.counter", "Counter"),
    sealed = ProtoField.bytes("wownet.sealed", "Sealed message"),
    sealed_length = ProtoField.uint32("wownet.sealed.length", "Length of the sealed message"),
    tag = ProtoField.bytes("wownet.tag", "Tag"),
    esp = ProtoField.bytes("wownet.esp", "ESP behind its sequence number, as IPsec sealed it"),
    kind = ProtoField.uint8("wownet.knock", "Kind of knock", base.DEC, kinds),
    token = ProtoField.uint64("wownet.token", "Token", base.HEX),
    address = ProtoField.ipv6("wownet.address", "Address it is sent to"),
    port = ProtoField.uint16("wownet.port", "Port it is sent to"),
    unknown = ProtoField.bytes("wownet.unknown", "Not dissected"),
}
wow.fields = fields

local experts = {
    type = ProtoExpert.new("wownet.bad.type", "Unknown type of frame: nodes drop it", expert.group.MALFORMED, expert.severity.ERROR),
    short = ProtoExpert.new("wownet.bad.short", "Too short: nodes drop it", expert.group.MALFORMED, expert.severity.ERROR),
    long = ProtoExpert.new("wownet.bad.long", "Too long: nodes drop it", expert.group.MALFORMED, expert.severity.ERROR),
    version = ProtoExpert.new("wownet.bad.version", "Unknown version: nodes drop it", expert.group.PROTOCOL, expert.severity.ERROR),
    reserved = ProtoExpert.new("wownet.bad.reserved", "Reserved bytes are not zero", expert.group.PROTOCOL, expert.severity.WARN),
    index = ProtoExpert.new("wownet.bad.index", "A sender's index of 0: nodes drop it", expert.group.MALFORMED, expert.severity.ERROR),
    kind = ProtoExpert.new("wownet.bad.knock", "Unknown kind of knock: nodes drop it", expert.group.MALFORMED, expert.severity.ERROR),
    stream = ProtoExpert.new("wownet.bad.stream", "The stream holds no TLS records", expert.group.PROTOCOL, expert.severity.WARN),
}
wow.experts = experts

wow.prefs.port = Pref.uint("UDP port", 4433, "Datagrams of this port are looked at without their neighbours; 0: of none")

local tls = Dissector.get("tls")
local udp = DissectorTable.get("udp.port")
local port = 0

-- What the frames before have told; a capture that is read anew begins with nothing.
local known    -- conversations that have carried a good frame
local streams  -- by sender and its index: one direction of one handshake
local whole    -- by frame number: the TLS records that end in it

function wow.init()
    known, streams, whole = {}, {}, {}
end

local function listen()
    if port ~= 0 then
        udp:remove(port, wow)
    end
    port = wow.prefs.port
    if port ~= 0 then
        udp:add(port, wow)
    end
end
wow.prefs_changed = listen

local function conversation(pinfo)
    local here, there = tostring(pinfo.src) .. " " .. pinfo.src_port, tostring(pinfo.dst) .. " " .. pinfo.dst_port
    return here < there and here .. " " .. there or there .. " " .. here
end

local function is_zero(range)
    return not range:bytes():tohex():find("[^0]")
end

-- Whether a datagram of unknown ports is one of ours beyond reasonable doubt.
local function is_sure(tvb)
    local length = tvb:reported_len()
    if tvb:len() < DATA_HEAD then
        return false
    end
    local first, second = tvb(0, 1):uint(), tvb(1, 1):uint()
    if first == HANDSHAKE then
        return second == VERSION and is_zero(tvb(2, 2)) and length >= HANDSHAKE_HEAD and length <= HANDSHAKE_MAX and tvb:len() >= 24 and tvb(20, 4):uint() ~= 0
    end
    if first == KNOCK then
        return second == VERSION and tvb(2, 1):uint() == 0 and kinds[tvb(3, 1):uint()] ~= nil and length == KNOCK_SIZE
    end
    -- An index that is not 0 and a counter below where new keys are agreed on (2^32): one datagram of others in 65,000 looks so too.
    local is_sealed = first == DATA and length >= DATA_MIN and length <= DATA_MAX or first == ESP and length >= ESP_MIN and length <= ESP_MAX
    return is_sealed and tvb(4, 4):uint() ~= 0 and tvb(11, 1):uint() == 0
end

-- What a record is called: its first message too, while it can be read.
local function name_of(bytes, at)
    local kind = bytes:byte(at + 1)
    local name = records[kind]
    if kind == 22 then
        name = messages[bytes:byte(at + 1 + RECORD_HEAD)] or name
    end
    return name
end

-- Adds a frame's bytes to its stream, in order only, as a node does; keeps the records that are whole now for the frame.
local function collect(number, key, offset, bytes)
    local stream = streams[key] or { expected = 0, rest = "", is_bad = false }
    streams[key] = stream
    if stream.is_bad or offset > stream.expected or offset + #bytes <= stream.expected then
        return
    end
    local rest = stream.rest .. bytes:sub(stream.expected - offset + 1)
    stream.expected = offset + #bytes
    local at, names = 0, {}
    while #rest - at >= RECORD_HEAD do
        local length = rest:byte(at + 4) * 256 + rest:byte(at + 5)
        if not records[rest:byte(at + 1)] or rest:byte(at + 2) ~= 3 or length == 0 or length > RECORD_MAX then
            stream.is_bad = true
            whole[number] = { names = {}, is_bad = true }
            return
        end
        if #rest - at < RECORD_HEAD + length then
            break
        end
        names[#names + 1] = name_of(rest, at) .. ", " .. length .. " bytes"
        at = at + RECORD_HEAD + length
    end
    stream.rest = rest:sub(at + 1)
    if at > 0 then
        whole[number] = { names = names, bytes = rest:sub(1, at) }
    end
end

-- The records are handed on under the handshake's own indices as ports, so that the second handshake between two nodes does not
-- seem to go on with the first one's keys.
local function show_records(tvb, pinfo, tree, root, ports)
    local found = whole[pinfo.number]
    if not found then
        return ""
    end
    if found.is_bad then
        tree:add_proto_expert_info(experts.stream)
        return ""
    end
    for _, name in ipairs(found.names) do
        tree:add(fields.record, tvb(HANDSHAKE_HEAD), name)
    end
    local before, after = pinfo.src_port, pinfo.dst_port
    pinfo.src_port, pinfo.dst_port = ports[1], ports[2]
    pcall(tls.call, tls, ByteArray.new(found.bytes, true):tvb("TLS records"), pinfo, root)
    pinfo.src_port, pinfo.dst_port = before, after
    return " [" .. table.concat(found.names, "; ") .. "]"
end

local function handshake(tvb, pinfo, tree, root)
    local version = tree:add(fields.version, tvb(1, 1))
    if tvb(1, 1):uint() ~= VERSION then
        version:add_proto_expert_info(experts.version)
        tree:add(fields.unknown, tvb(2))
        return "Handshake of version " .. tvb(1, 1):uint()
    end
    local reserved = tree:add(fields.reserved, tvb(2, 2))
    if not is_zero(tvb(2, 2)) then
        reserved:add_proto_expert_info(experts.reserved)
    end
    tree:add(fields.mac, tvb(4, 16))
    local index = tree:add(fields.sender_index, tvb(20, 4))
    if tvb(20, 4):uint() == 0 then
        index:add_proto_expert_info(experts.index)
    end
    local peer = tree:add(fields.receiver_index, tvb(24, 4))
    if tvb(24, 4):uint() == 0 then
        peer:append_text(" (the sender does not know it)")
    end
    tree:add(fields.sender, tvb(28, 20))
    local target = tree:add(fields.target, tvb(48, 20))
    if is_zero(tvb(48, 20)) then
        target:append_text(" (whoever is there)")
    end
    tree:add(fields.offset, tvb(68, 4))
    tree:add(fields.ack, tvb(72, 4))
    local cookie = tree:add(fields.cookie, tvb(76, 16))
    local shown = ""
    if is_zero(tvb(76, 16)) then
        cookie:append_text(" (none)")
    else
        shown = tvb(24, 4):uint() == 0 and ", shows a cookie" or ", asks to see a cookie"
    end
    local length = tvb:reported_len() - HANDSHAKE_HEAD
    tree:add(fields.data_length, length):set_generated()
    local text = string.format("Handshake 0x%08x > 0x%08x, offset %d, ack %d, %d bytes",
        tvb(20, 4):uint(), tvb(24, 4):uint(), tvb(68, 4):uint(), tvb(72, 4):uint(), length) .. shown
    if tvb:len() <= HANDSHAKE_HEAD then
        return text
    end
    tree:add(fields.data, tvb(HANDSHAKE_HEAD))
    if not pinfo.visited and tvb:len() == tvb:reported_len() and length <= HANDSHAKE_MAX - HANDSHAKE_HEAD then
        collect(pinfo.number, tvb(20, 4):bytes():tohex() .. tvb(28, 20):bytes():tohex(), tvb(68, 4):uint(), tvb(HANDSHAKE_HEAD):raw())
    end
    return text .. show_records(tvb, pinfo, tree, root, { tvb(20, 2):uint(), tvb(24, 2):uint() })
end

local function data(tvb, tree, is_esp)
    tree:add(fields.salt, tvb(1, 3))
    tree:add(fields.receiver_index, tvb(4, 4))
    tree:add(fields.salt, tvb(8, 3))
    tree:add(fields.counter, tvb(11, 5))
    local rest = tvb:reported_len() - DATA_HEAD - TAG
    local length = is_esp and ESP_HEAD or rest
    tree:add(fields.sealed_length, length):set_generated()
    if tvb:len() == tvb:reported_len() then
        tree:add(fields.sealed, tvb(DATA_HEAD + (is_esp and TAG or 0), length))
        tree:add(fields.tag, tvb(DATA_HEAD + (is_esp and 0 or length), TAG))
        if is_esp then
            tree:add(fields.esp, tvb(DATA_HEAD + TAG + length))
        end
    end
    local text = string.format("%s > 0x%08x, counter %s, %d bytes sealed", types[tvb(0, 1):uint()], tvb(4, 4):uint(), tostring(tvb(11, 5):uint64()), length)
    return is_esp and text .. string.format(", %d by IPsec", rest - length) or text
end

local function knock(tvb, tree)
    local version = tree:add(fields.version, tvb(1, 1))
    if tvb(1, 1):uint() ~= VERSION then
        version:add_proto_expert_info(experts.version)
        tree:add(fields.unknown, tvb(2))
        return "Knock of version " .. tvb(1, 1):uint()
    end
    local reserved = tree:add(fields.reserved, tvb(2, 1))
    if tvb(2, 1):uint() ~= 0 then
        reserved:add_proto_expert_info(experts.reserved)
    end
    local kind = tree:add(fields.kind, tvb(3, 1))
    if not kinds[tvb(3, 1):uint()] then
        kind:add_proto_expert_info(experts.kind)
    end
    tree:add(fields.mac, tvb(4, 16))
    tree:add(fields.token, tvb(20, 8))
    tree:add(fields.address, tvb(28, 16))
    tree:add(fields.port, tvb(44, 2))
    return tvb(3, 1):uint() == 1 and "Question where it comes from" or "Knock at port " .. tvb(44, 2):uint()
end

-- The smallest and the largest frame of each type, and how much of it its head takes.
local limits = {
    [HANDSHAKE] = { least = HANDSHAKE_HEAD, most = HANDSHAKE_MAX, head = HANDSHAKE_HEAD },
    [DATA] = { least = DATA_MIN, most = DATA_MAX, head = DATA_HEAD },
    [ESP] = { least = ESP_MIN, most = ESP_MAX, head = DATA_HEAD },
    [KNOCK] = { least = KNOCK_SIZE, most = KNOCK_SIZE, head = KNOCK_SIZE },
}

function wow.dissector(tvb, pinfo, root)
    if tvb:len() == 0 then
        return 0
    end
    local kind = tvb(0, 1):uint()
    local limit = limits[kind]
    local pair = conversation(pinfo)
    if not limit and not known[pair] then
        return 0 -- the port is other programs' too
    end
    known[pair] = known[pair] or is_sure(tvb)
    pinfo.cols.protocol = "WOW"
    local tree = root:add(wow, tvb())
    local first = tree:add(fields.type, tvb(0, 1))
    local length = tvb:reported_len()
    local text
    if not limit then
        first:add_proto_expert_info(experts.type)
        text = string.format("Unknown type 0x%02x", kind)
    elseif length < limit.least then
        tree:add_proto_expert_info(experts.short)
        text = types[kind] .. ", too short"
    elseif tvb:len() < limit.head then
        text = types[kind] .. ", its head was not captured"
    else
        if length > limit.most then
            tree:add_proto_expert_info(experts.long)
        end
        text = kind == HANDSHAKE and handshake(tvb, pinfo, tree, root) or kind == KNOCK and knock(tvb, tree) or data(tvb, tree, kind == ESP)
    end
    if tvb:len() > 1 and (not limit or length < limit.least or tvb:len() < limit.head) then
        tree:add(fields.unknown, tvb(1))
    end
    pinfo.cols.protocol = "WOW"
    pinfo.cols.info:clear_fence() -- TLS wants its own words to stay
    pinfo.cols.info = text
    return tvb:len()
end

-- Once one datagram is surely ours, the rest of its conversation is dissected whatever it holds: bad frames are told, not overlooked.
wow:register_heuristic("udp", function(tvb, pinfo, root)
    if not is_sure(tvb) then
        return false
    end
    wow.dissector(tvb, pinfo, root)
    pinfo.conversation = wow
    return true
end)

listen()
