#!/usr/bin/env python3
"""Brokers and servers of messaging protocols with clients that people use: MQTT, Redis, AMQP, STOMP, NATS, IRC, XMPP."""

import asyncio
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

from recording import connect, read_until, recording, running, wait_for


def mqtt():
    import paho.mqtt.client as paho
    from paho.mqtt.packettypes import PacketTypes
    from paho.mqtt.properties import Properties

    def talk(port, version, transport="tcp"):
        """A publisher and subscriber in one client: QoS 0, 1 and 2, a retained message, a will, a clean end."""
        done, subscribed = threading.Event(), threading.Event()
        seen = []
        five = version == paho.MQTTv5
        client = paho.Client(paho.CallbackAPIVersion.VERSION2, client_id="ada", protocol=version, transport=transport)
        client.will_set("rooms/7/gone", "ada", qos=1)
        client.username_pw_set("ada", "secret")
        client.on_connect = lambda *_: client.subscribe([("rooms/7/#", paho.SubscribeOptions(qos=2))] if five else [("rooms/7/#", 2)])
        client.on_subscribe = lambda *_: subscribed.set()

        def message(_, __, given):
            seen.append(given.topic)
            if len(seen) == 4:
                done.set()

        client.on_message = message
        client.connect("127.0.0.1", port, keepalive=1 if not five else 60)
        client.loop_start()
        assert subscribed.wait(10)
        properties = None
        if five:
            properties = Properties(PacketTypes.PUBLISH)
            properties.ContentType = "application/json"
            properties.ResponseTopic = "rooms/7/answers"
            properties.UserProperty = [("trace", "4711")]
        client.publish("rooms/7/text", '{"text":"hello"}', qos=0, properties=properties)
        client.publish("rooms/7/like", b"\x08\x96\x01", qos=1)
        client.publish("rooms/7/join", "Bob", qos=2)
        client.publish("rooms/7/topic", "retained", qos=1, retain=True)
        assert done.wait(10)
        if not five:
            # Long enough for pings.
            time.sleep(2.5)
        client.unsubscribe("rooms/7/#")
        time.sleep(0.1)
        client.disconnect()
        client.loop_stop()

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mosquitto.conf"
        path.write_text("allow_anonymous true\nlistener 1883 127.0.0.1\nlistener 9001 127.0.0.1\nprotocol websockets\n")
        with running("mosquitto", "-c", path, port=1883, stderr=subprocess.DEVNULL):
            wait_for(9001)
            note = "paho-mqtt with mosquitto, MQTT {}: QoS 0, 1 and 2, a retained message, pings."
            with recording("messaging-mqtt", note.format("3.1.1"), "tcp port 1883"):
                talk(1883, paho.MQTTv311)
            with recording("messaging-mqtt5", "paho-mqtt with mosquitto, MQTT 5: properties, QoS 0, 1 and 2.", "tcp port 1883"):
                talk(1883, paho.MQTTv5)
            with recording("messaging-mqtt-websocket", "paho-mqtt with mosquitto over a WebSocket, MQTT 5.", "tcp port 9001"):
                talk(9001, paho.MQTTv5, "websockets")


def redis():
    import redis as library

    with tempfile.TemporaryDirectory() as folder:
        with running("redis-server", "--port", "6379", "--bind", "127.0.0.1", "--save", "", "--dir", folder, port=6379, stdout=subprocess.DEVNULL):
            with recording("messaging-redis", "redis-py with a Redis server: commands, a pipeline, an error, a subscription.", "tcp port 6379"):
                client = library.Redis(port=6379)
                client.set("room:7", "hello")
                client.get("room:7")
                client.hset("user:1", mapping={"name": "Ada", "likes": 3})
                with client.pipeline() as pipeline:
                    pipeline.incr("messages").incr("messages").execute()
                try:
                    client.lpush("room:7", "x")
                except library.ResponseError:
                    pass
                subscriber = client.pubsub()
                subscriber.subscribe("rooms")
                subscriber.get_message(timeout=5)
                client.publish("rooms", b"\x00\x01binary")
                subscriber.get_message(timeout=5)
                subscriber.close()
                client.close()


def rabbit():
    import pika
    import stomp

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        pathlib.Path(folder, "plugins").write_text("[rabbitmq_stomp].\n")
        pathlib.Path(folder, "rabbitmq.conf").write_text("listeners.tcp.1 = 127.0.0.1:5672\nstomp.listeners.tcp.1 = 127.0.0.1:61613\n")
        environment = os.environ | {
            "RABBITMQ_NODENAME": "unmask@localhost", "RABBITMQ_MNESIA_BASE": folder, "RABBITMQ_LOG_BASE": folder, "HOME": folder,
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins", "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq",
            "RABBITMQ_PID_FILE": f"{folder}/pid",
        }
        broker = subprocess.Popen(
            ["/usr/lib/rabbitmq/bin/rabbitmq-server"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        try:
            for _ in range(60):
                try:
                    wait_for(61613)
                    break
                except RuntimeError:
                    continue
            time.sleep(1)
            with recording("messaging-amqp", "pika with RabbitMQ, AMQP 0-9-1: a queue, two messages, an acknowledgement, a return.", "tcp port 5672"):
                connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", 5672, heartbeat=2))
                channel = connection.channel()
                channel.queue_declare("rooms.7", auto_delete=True)
                channel.basic_publish("", "rooms.7", b'{"text":"hello"}', pika.BasicProperties(content_type="application/json"))
                channel.basic_publish("", "rooms.7", bytes(range(256)) * 40)
                for method, _, _ in channel.consume("rooms.7", inactivity_timeout=5):
                    channel.basic_ack(method.delivery_tag)
                    if method.delivery_tag == 2:
                        break
                channel.cancel()
                connection.sleep(3)
                connection.close()
            with recording("messaging-stomp", "stomp.py with RabbitMQ, STOMP 1.2: a subscription, a receipt, heartbeats.", "tcp port 61613"):
                arrived, receipt = threading.Event(), threading.Event()

                class Listener(stomp.ConnectionListener):
                    def on_message(self, frame):
                        arrived.set()

                    def on_receipt(self, frame):
                        receipt.set()

                client = stomp.Connection12([("127.0.0.1", 61613)], heartbeats=(1000, 1000), vhost="/")
                client.set_listener("", Listener())
                client.connect("guest", "guest", wait=True)
                client.subscribe("/queue/rooms.7", id="1", ack="client-individual")
                client.send("/queue/rooms.7", '{"text":"hello"}', content_type="application/json", receipt="r1")
                assert arrived.wait(5) and receipt.wait(5)
                time.sleep(4)
                client.disconnect(receipt="bye")
                time.sleep(0.2)
        finally:
            subprocess.run(["pkill", "-s", str(broker.pid)], check=False)
            broker.wait(20)
            subprocess.run(["pkill", "-x", "epmd"], check=False)


def nats():
    import nats as library

    async def talk():
        client = await library.connect("nats://127.0.0.1:4222", name="ada", ping_interval=1)
        arrived = asyncio.Event()

        async def answer(message):
            await message.respond(b"heard")

        async def take(message):
            arrived.set()

        await client.subscribe("ask", cb=answer)
        await client.subscribe("rooms.>", cb=take)
        await client.publish("rooms.7", b'{"text":"hello"}', headers={"trace": "4711"})
        await client.publish("rooms.7", b"a line\r\nand another")
        await client.request("ask", b"who?", timeout=5)
        await asyncio.wait_for(arrived.wait(), 5)
        await asyncio.sleep(1.2)
        await client.drain()

    with running("nats-server", "-a", "127.0.0.1", "-p", "4222", port=4222, stderr=subprocess.DEVNULL):
        with recording("messaging-nats", "nats-py with a NATS server: subjects, headers, a request and its reply, pings.", "tcp port 4222"):
            asyncio.run(talk())


def irc():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "ngircd.conf"
        path.write_text(
            "[Global]\nMotdPhrase = Welcome\nName = irc.example\nInfo = test\nListen = 127.0.0.1\nPorts = 6667\nServerUID = root\nServerGID = root\n"
            "[Limits]\nMaxConnections = 10\n[Options]\nDNS = no\nIdent = no\nPAM = no\n")
        with running("ngircd", "-n", "-f", path, port=6667, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            with recording("messaging-irc", "A client of our own with ngircd: registration, a channel, a ping.", "tcp port 6667"):
                with connect(6667) as peer:
                    peer.sendall(b"CAP LS 302\r\nNICK ada\r\nUSER ada 0 * :Ada L.\r\n")
                    read_until(peer, b" CAP ")
                    peer.sendall(b"CAP END\r\n")
                    read_until(peer, b" 376 ")
                    peer.sendall(b"JOIN #rooms\r\nPRIVMSG #rooms :hello\r\nPING 4711\r\n")
                    read_until(peer, b"4711")
                    peer.sendall("PRIVMSG nobody :grüß dich\r\nQUIT :bye\r\n".encode())
                    while peer.recv(4096):
                        pass


def xmpp():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "prosody.cfg.lua"
        path.write_text(
            f'data_path = "{folder}"\npidfile = "{folder}/pid"\nrun_as_root = true\ninterfaces = {{ "127.0.0.1" }}\nlog = {{ error = "{folder}/log" }}\n'
            'modules_enabled = { "saslauth", "ping", "roster", "disco" }\nmodules_disabled = { "s2s", "tls" }\nc2s_require_encryption = false\n'
            'authentication = "anonymous"\nallow_unencrypted_plain_auth = true\nVirtualHost "localhost"\n')
        with running("prosody", "-F", "--config", path, port=5222, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            with recording("messaging-xmpp", "A client of our own with Prosody: streams, an anonymous login, a ping, a message to itself.", "tcp port 5222"):
                with connect(5222) as peer:
                    opening = b"<?xml version='1.0'?><stream:stream to='localhost' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"
                    peer.sendall(opening)
                    read_until(peer, b"</stream:features>")
                    peer.sendall(b"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='ANONYMOUS'/>")
                    read_until(peer, b"<success")
                    peer.sendall(opening)
                    read_until(peer, b"</stream:features>")
                    peer.sendall(b"<iq id='b1' type='set'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>")
                    said = read_until(peer, b"</iq>")
                    jid = said.split(b"<jid>")[1].split(b"</jid>")[0]
                    peer.sendall(b"<iq id='p1' type='get' to='localhost'><ping xmlns='urn:xmpp:ping'/></iq>")
                    read_until(peer, b"p1")
                    peer.sendall(b"<message to='" + jid + "' type='chat' id='m1'><body>grüß &amp; dich</body></message>".encode())
                    read_until(peer, b"</message>")
                    peer.sendall(b" ")
                    peer.sendall(b"</stream:stream>")
                    while peer.recv(4096):
                        pass


import sys

for one in [globals()[name] for name in sys.argv[1:]] or (mqtt, redis, nats, irc, xmpp, rabbit):
    one()
