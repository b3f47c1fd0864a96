"""Brokers and servers of messaging protocols, and clients that people use to talk with them: MQTT, Redis, AMQP, STOMP, NATS, IRC, XMPP.

A server is a context manager that yields when it listens; a talk has a port and returns what its client saw. A program or package that is
missing is an `Absent`.
"""

import asyncio
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time


class Absent(Exception):
    """What a talk needs is not installed."""


def program(name, *folders):
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", *folders]))
    if not found:
        raise Absent(name)
    return found


def library(name):
    try:
        return __import__(name, fromlist=["_"])
    except ImportError:
        raise Absent(f"Python's {name}") from None


def wait_until_listening(port, process, seconds=60):
    """Waits until something listens, without a connection that a capture would show."""
    for _ in range(seconds * 20):
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(table) as file:
                rows = [line.split() for line in file]
            if any(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows):
                return
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with {process.returncode}")
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens on port {port}")


@contextlib.contextmanager
def running(*command, ports, **options):
    """A program in a session of its own, so that what it starts ends with it."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([str(word) for word in command], start_new_session=True, **{**quiet, **options})
    try:
        for port in ports:
            wait_until_listening(port, process)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def connect(port):
    peer = socket.create_connection(("127.0.0.1", port), 10)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer


def read_until(peer, end):
    """Reads until the bytes end with this, or the peer has no more."""
    got = b""
    while not got.endswith(end):
        more = peer.recv(1)
        if not more:
            break
        got += more
    return got


@contextlib.contextmanager
def mosquitto(port, websocket_port):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mosquitto.conf"
        path.write_text(
            f"allow_anonymous true\nlistener {port} 127.0.0.1\nlistener {websocket_port} 127.0.0.1\nprotocol websockets\n")
        with running(program("mosquitto"), "-c", path, ports=(port, websocket_port)):
            yield


def mqtt(port, version=4, transport="tcp"):
    """A publisher and subscriber in one client: QoS 0, 1 and 2, a retained message, a will, pings, a clean end."""
    paho = library("paho.mqtt.client")
    packets, properties = library("paho.mqtt.packettypes"), library("paho.mqtt.properties")
    done, subscribed = threading.Event(), threading.Event()
    seen = []
    five = version == paho.MQTTv5
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, client_id="ada", protocol=version, transport=transport)
    client.will_set("rooms/7/gone", "ada", qos=1)
    client.username_pw_set("ada", "secret")
    client.on_connect = lambda *_: client.subscribe([("rooms/7/#", paho.SubscribeOptions(qos=2))] if five else [("rooms/7/#", 2)])
    client.on_subscribe = lambda *_: subscribed.set()

    def message(_, __, given):
        seen.append([given.topic, given.payload.hex(), given.qos])
        if len({topic for topic, _, _ in seen}) == 4:
            done.set()

    client.on_message = message
    client.connect("127.0.0.1", port, keepalive=60 if five else 1)
    client.loop_start()
    assert subscribed.wait(10), "no SUBACK"
    given = None
    if five:
        given = properties.Properties(packets.PacketTypes.PUBLISH)
        given.ContentType = "application/json"
        given.ResponseTopic = "rooms/7/answers"
        given.UserProperty = [("trace", "4711")]
    client.publish("rooms/7/text", '{"text":"hello"}', qos=0, properties=given)
    client.publish("rooms/7/like", b"\x08\x96\x01", qos=1)
    client.publish("rooms/7/join", "Bob", qos=2).wait_for_publish(10)
    client.publish("rooms/7/topic", "retained", qos=1, retain=True)
    assert done.wait(10), "a message is missing"
    if not five:
        # Long enough for pings.
        time.sleep(2.5)
    client.publish("rooms/7/topic", b"", qos=1, retain=True).wait_for_publish(10)
    client.unsubscribe("rooms/7/#")
    time.sleep(0.1)
    client.disconnect()
    client.loop_stop()
    return sorted(entry for entry in seen if entry[1])


@contextlib.contextmanager
def redis_server(port):
    with tempfile.TemporaryDirectory() as folder:
        with running(program("redis-server"), "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", folder, ports=(port,)):
            yield


def redis(port):
    """Commands, a pipeline, an error, a subscription."""
    library_ = library("redis")
    seen = []
    client = library_.Redis(port=port)
    client.delete("room:7", "user:1", "messages")
    seen.append(client.set("room:7", "hello"))
    seen.append(client.get("room:7"))
    seen.append(client.hset("user:1", mapping={"name": "Ada", "likes": 3}))
    with client.pipeline() as pipeline:
        seen.append(pipeline.incr("messages").incr("messages").execute())
    try:
        client.lpush("room:7", "x")
    except library_.ResponseError as error:
        seen.append(str(error))
    subscriber = client.pubsub()
    subscriber.subscribe("rooms")
    seen.append(subscriber.get_message(timeout=5))
    client.publish("rooms", b"\x00\x01binary")
    seen.append(subscriber.get_message(timeout=5))
    subscriber.close()
    client.close()
    return seen


def two_free_ports():
    """Of this moment: what is only guessed may be another program's, and RabbitMQ then does not start."""
    with socket.socket() as one, socket.socket() as other:
        for listener in (one, other):
            listener.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


@contextlib.contextmanager
def rabbitmq(amqp_port, stomp_port):
    dist_port, epmd_port = two_free_ports()
    binary = program("rabbitmq-server", "/usr/lib/rabbitmq/bin")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        pathlib.Path(folder, "plugins").write_text("[rabbitmq_stomp].\n")
        pathlib.Path(folder, "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{amqp_port}\nstomp.listeners.tcp.1 = 127.0.0.1:{stomp_port}\n")
        script = "/usr/lib/rabbitmq/bin/rabbitmq-server"
        environment = os.environ | {
            "RABBITMQ_NODENAME": f"unmask{amqp_port}@localhost", "RABBITMQ_MNESIA_BASE": folder, "RABBITMQ_LOG_BASE": folder, "HOME": folder,
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins", "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq",
            "RABBITMQ_PID_FILE": f"{folder}/pid", "RABBITMQ_DIST_PORT": str(dist_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": str(epmd_port), "ERL_CRASH_DUMP": f"{folder}/erl_crash.dump",
        }
        try:
            with running(script if os.path.exists(script) else binary, ports=(amqp_port, stomp_port), env=environment):
                time.sleep(1)
                yield
        finally:
            # Its name service would outlive it.
            for epmd in pathlib.Path("/usr/lib/erlang").glob("erts-*/bin/epmd"):
                subprocess.run([epmd, "-port", environment["ERL_EPMD_PORT"], "-kill"], stdout=subprocess.DEVNULL, check=False)


def amqp(port):
    """A queue, two messages, acknowledgements, heartbeats."""
    pika = library("pika")
    seen = []
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port, heartbeat=2))
    channel = connection.channel()
    channel.queue_declare("rooms.7", auto_delete=True)
    channel.basic_publish("", "rooms.7", b'{"text":"hello"}', pika.BasicProperties(content_type="application/json"))
    channel.basic_publish("", "rooms.7", bytes(range(256)) * 40)
    for method, _, body in channel.consume("rooms.7", inactivity_timeout=5):
        seen.append(body.hex())
        channel.basic_ack(method.delivery_tag)
        if method.delivery_tag == 2:
            break
    channel.cancel()
    connection.sleep(3)
    connection.close()
    return seen


def stomp(port):
    """A subscription, a receipt, heartbeats."""
    library_ = library("stomp")
    arrived, receipt = threading.Event(), threading.Event()
    seen = []

    class Listener(library_.ConnectionListener):
        def on_message(self, frame):
            seen.append(frame.body)
            client.ack(frame.headers["ack"])
            arrived.set()

        def on_receipt(self, frame):
            seen.append(frame.headers["receipt-id"])
            receipt.set()

    client = library_.Connection12([("127.0.0.1", port)], heartbeats=(1000, 1000), vhost="/")
    client.set_listener("", Listener())
    client.connect("guest", "guest", wait=True)
    client.subscribe("/queue/rooms.8", id="1", ack="client-individual")
    client.send("/queue/rooms.8", '{"text":"hello"}', content_type="application/json", receipt="r1")
    assert arrived.wait(5) and receipt.wait(5), "no message or no receipt"
    time.sleep(4)
    client.disconnect(receipt="bye")
    time.sleep(0.2)
    return sorted(seen)


@contextlib.contextmanager
def nats_server(port):
    with running(program("nats-server"), "-a", "127.0.0.1", "-p", port, ports=(port,)):
        yield


def nats(port):
    """Subjects, headers, a request and its reply, pings."""
    library_ = library("nats")

    async def talk():
        client = await library_.connect(f"nats://127.0.0.1:{port}", name="ada", ping_interval=1)
        seen, both = [], asyncio.Event()

        async def answer(message):
            await message.respond(b"heard " + message.data)

        async def take(message):
            seen.append([message.subject, message.data.hex()])
            if len(seen) == 2:
                both.set()

        await client.subscribe("ask", cb=answer)
        await client.subscribe("rooms.>", cb=take)
        await client.publish("rooms.7", b'{"text":"hello"}', headers={"trace": "4711"})
        await client.publish("rooms.7", b"a line\r\nand another")
        reply = await client.request("ask", b"who?", timeout=5)
        await asyncio.wait_for(both.wait(), 5)
        await asyncio.sleep(1.2)
        await client.drain()
        return [*seen, reply.data.hex()]

    return asyncio.run(talk())


@contextlib.contextmanager
def ngircd(port):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "ngircd.conf"
        path.write_text(
            f"[Global]\nName = irc.example\nMotdPhrase = Welcome\nInfo = test\nListen = 127.0.0.1\nPorts = {port}\n"
            "[Limits]\nMaxConnections = 10\n[Options]\nDNS = no\nIdent = no\nPAM = no\n")
        with running(program("ngircd"), "-n", "-f", path, ports=(port,)):
            yield


def irc(port):
    """Registration, a channel, a ping, an error."""
    with connect(port) as peer:
        peer.sendall(b"CAP LS 302\r\nNICK ada\r\nUSER ada 0 * :Ada L.\r\n")
        read_until(peer, b" CAP ")
        peer.sendall(b"CAP END\r\n")
        read_until(peer, b" 376 ")
        peer.sendall(b"JOIN #rooms\r\nPRIVMSG #rooms :hello\r\nPING 4711\r\n")
        seen = read_until(peer, b"4711")
        peer.sendall("PRIVMSG nobody :grüß dich\r\nQUIT :bye\r\n".encode())
        while more := peer.recv(4096):
            seen += more
        return [line.split(" ")[1] for line in seen.decode(errors="replace").splitlines() if " " in line]


@contextlib.contextmanager
def prosody(port):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "prosody.cfg.lua"
        path.write_text(
            f'data_path = "{folder}"\npidfile = "{folder}/pid"\nrun_as_root = true\ninterfaces = {{ "127.0.0.1" }}\n'
            f'c2s_ports = {{ {port} }}\nlog = {{ error = "{folder}/log" }}\n'
            'modules_enabled = { "saslauth", "ping", "roster", "disco" }\nmodules_disabled = { "s2s", "tls" }\nc2s_require_encryption = false\n'
            'authentication = "anonymous"\nallow_unencrypted_plain_auth = true\nVirtualHost "localhost"\n')
        with running(program("prosody"), "-F", "--config", path, ports=(port,)):
            yield


def xmpp(port):
    """Two streams, an anonymous login, a ping, a message to itself."""
    opening = (
        b"<?xml version='1.0'?><stream:stream to='localhost' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
        b"version='1.0'>")
    with connect(port) as peer:
        peer.sendall(opening)
        read_until(peer, b"</stream:features>")
        peer.sendall(b"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='ANONYMOUS'/>")
        read_until(peer, b"/>") if read_until(peer, b"<success") else None
        peer.sendall(opening)
        read_until(peer, b"</stream:features>")
        peer.sendall(b"<iq id='b1' type='set'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>")
        jid = read_until(peer, b"</iq>").split(b"<jid>")[1].split(b"</jid>")[0]
        peer.sendall(b"<iq id='p1' type='get' to='localhost'><ping xmlns='urn:xmpp:ping'/></iq>")
        seen = [b"result" in read_until(peer, b"/>")]
        peer.sendall(b"<message to='" + jid + "' type='chat' id='m1'><body>grüß &amp; dich</body></message>".encode())
        seen.append("grüß".encode() in read_until(peer, b"</message>"))
        peer.sendall(b" ")
        peer.sendall(b"</stream:stream>")
        while peer.recv(4096):
            pass
        return seen
