#!/usr/bin/env python3
"""Messaging protocols on raw TCP and on WebSocket, directly and through the proxy: the same talk, and what it said in the log's words."""

import socket
import sys

import comparison
import messaging_talks as talks
import rpc_talks
import websocket_talks
from programs import Unmask


def free_ports(count):
    """Ports that nothing listens on; the servers take them at once."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def through(it, name, talk, port, words, scheme="tcp"):
    """Holds a talk through the proxy against the same without it, and looks for words of it in the log: pairs of `as` and a value of `decoded`."""
    without = talk(port)
    it.number += 1
    proxy = Unmask(it.unmask, it.folder / f"messaging-{it.number}", "--mode", f"reverse:{scheme}://127.0.0.1:{port}", "--decoded")
    try:
        seen = talk(proxy.port)
    finally:
        proxy.__exit__()
    it.same(name, without, seen)
    said = [record["decoded"] for record in it.records(proxy) if "decoded" in record]
    missing = [(format, word) for format, word in words if not any(one["as"] == format and word in str(one) for one in said)]
    it.same(f"{name} in the log", [], missing)
    accused = [record["id"] for record in it.records(proxy) if record["kind"] == "finding" and record["severity"] != "note"]
    it.same(f"{name} without an accusation", [], accused)


def compare(it):
    def mqtt():
        port, websocket = free_ports(2)
        with talks.mosquitto(port, websocket):
            words = [("mqtt", word) for word in ("CONNECT", "rooms/7/like", "PUBCOMP", "SUBACK", "PINGRESP", "DISCONNECT")]
            through(it, "MQTT 3.1.1", talks.mqtt, port, words)
            words = [("mqtt", word) for word in ("CONNACK", "rooms/7/answers", "4711", "PUBREL")]
            through(it, "MQTT 5", lambda at: talks.mqtt(at, 5), port, words)
            through(it, "MQTT 5 on a WebSocket", lambda at: talks.mqtt(at, 5, "websockets"), websocket, words, "http")

    def redis():
        (port,) = free_ports(1)
        with talks.redis_server(port):
            through(it, "Redis", talks.redis, port, [("redis", word) for word in ("HSET", "INCR", "WRONGTYPE", "latency", "subscribe")])

    def nats():
        (port,) = free_ports(1)
        with talks.nats_server(port):
            through(it, "NATS", talks.nats, port, [("nats", word) for word in ("INFO", "CONNECT", "rooms.7", "MSG", "PONG")])

    def irc():
        (port,) = free_ports(1)
        with talks.ngircd(port):
            through(it, "IRC", talks.irc, port, [("irc", word) for word in ("NICK", "JOIN", "PRIVMSG", "401", "QUIT")])

    def xmpp():
        (port,) = free_ports(1)
        with talks.prosody(port):
            through(it, "XMPP", talks.xmpp, port, [("xmpp", word) for word in ("stream", "auth", "iq", "p1", "message")])

    def rabbit():
        amqp, stomp = free_ports(2)
        with talks.rabbitmq(amqp, stomp):
            words = [("amqp", word) for word in ("connection.start", "queue.declare", "basic.deliver", "rooms.7", "heartbeat")]
            through(it, "AMQP 0-9-1", talks.amqp, amqp, words)
            through(it, "STOMP 1.2", talks.stomp, stomp, [("stomp", word) for word in ("CONNECTED", "/queue/rooms.8", "RECEIPT", "heartbeat")])

    def graphql():
        (port,) = free_ports(1)
        with websocket_talks.graphql_server(port):
            words = [("graphql-ws", word) for word in ("connection_ack", "Say", "it is broken", "subscription", "complete", "latency")]
            through(it, "GraphQL", websocket_talks.graphql, port, words, "http")
            words = [("graphql-ws", word) for word in ("connection_ack", "start", "Numbers", "data", "complete")]
            through(it, "GraphQL, the older subprotocol", lambda at: websocket_talks.graphql(at, "graphql-ws"), port, words, "http")

    def signalr():
        (port,) = free_ports(1)
        with websocket_talks.signalr_server(port):
            words = [("signalr", word) for word in ("Add", "said", "it failed", "ping", "latency")]
            through(it, "SignalR", websocket_talks.signalr, port, words, "http")

    def grpc_web():
        (port,) = free_ports(1)
        with rpc_talks.grpc_web_server(port):
            words = [("grpc", word) for word in ("im.chat.Chat", "hello", "HELLO", "NOT_FOUND", "no such room: grün 100%", "trailers")]
            through(it, "gRPC-Web", rpc_talks.grpc_web, port, words, "http")
            through(it, "gRPC-Web, compressed", lambda at: rpc_talks.grpc_web(at, True), port, [("grpc", "'compressed': True")], "http")

    def wamp():
        (port,) = free_ports(1)
        with rpc_talks.wamp_server(port):
            words = [("wamp", word) for word in ("HELLO", "WELCOME", "com.example.add", "latency", "com.example.refused", "EVENT", "GOODBYE", "grüß")]
            for packing in ("cbor", "msgpack", "json"):
                for batched in (False, True):
                    name = f"WAMP in {packing}{', batched' if batched else ''}"
                    through(it, name, lambda at: rpc_talks.wamp(at, packing, batched), port, words, "http")

    def sockjs():
        (port,) = free_ports(1)
        with rpc_talks.sockjs_server(port):
            words = [("sockjs", word) for word in ("open", "grüß dich", "like", "a line", "Go away!")]
            through(it, "SockJS by JSONP", rpc_talks.sockjs, port, words, "http")

    for one in (mqtt, redis, nats, irc, xmpp, rabbit, graphql, signalr, grpc_web, wamp, sockjs):
        try:
            one()
        except talks.Absent as missing:
            print(f"skipped: {one.__name__} through the proxy ({missing} is not installed)", flush=True)


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
