#!/usr/bin/env python3
"""Brokers and servers of messaging protocols with clients that people use; messaging.py mqtt redis records only these."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Peers"))

import messaging_talks as talks
import rpc_talks
import socketio_talks
import websocket_talks
from recording import recording


def mqtt():
    with talks.mosquitto(1883, 9001):
        with recording("messaging-mqtt", "paho-mqtt with mosquitto, MQTT 3.1.1: QoS 0, 1 and 2, a retained message, pings.", "tcp port 1883"):
            talks.mqtt(1883)
        with recording("messaging-mqtt5", "paho-mqtt with mosquitto, MQTT 5: properties, QoS 0, 1 and 2.", "tcp port 1883"):
            talks.mqtt(1883, 5)
        with recording("messaging-mqtt-websocket", "paho-mqtt with mosquitto over a WebSocket, MQTT 5.", "tcp port 9001"):
            talks.mqtt(9001, 5, "websockets")


def redis():
    with talks.redis_server(6379):
        note = "redis-py with a Redis server: commands, a pipeline, an error, a subscription."
        with recording("messaging-redis", note, "tcp port 6379"):
            talks.redis(6379)


def nats():
    with talks.nats_server(4222):
        note = "nats-py with a NATS server: subjects, headers, a request and its reply, pings."
        with recording("messaging-nats", note, "tcp port 4222"):
            talks.nats(4222)


def irc():
    with talks.ngircd(6667):
        with recording("messaging-irc", "A client of our own with ngircd: registration, a channel, a ping, an error.", "tcp port 6667"):
            talks.irc(6667)


def xmpp():
    with talks.prosody(5222):
        note = "A client of our own with Prosody: streams, an anonymous login, a ping, a message to itself."
        with recording("messaging-xmpp", note, "tcp port 5222"):
            talks.xmpp(5222)


def rabbit():
    with talks.rabbitmq(5672, 61613):
        note = "pika with RabbitMQ, AMQP 0-9-1: a queue, two messages, acknowledgements, heartbeats."
        with recording("messaging-amqp", note, "tcp port 5672"):
            talks.amqp(5672)
        with recording("messaging-stomp", "stomp.py with RabbitMQ, STOMP 1.2: a subscription, a receipt, heartbeats.", "tcp port 61613"):
            talks.stomp(61613)


def graphql():
    with websocket_talks.graphql_server(8000):
        note = "gql with strawberry on aiohttp, graphql-transport-ws: a query, a mutation, an error, a subscription."
        with recording("messaging-graphql", note, "tcp port 8000"):
            websocket_talks.graphql(8000)


def signalr():
    with websocket_talks.signalr_server(5000):
        note = "signalrcore with a server of our own: the handshake, two invocations, a message of the server's, a ping."
        with recording("messaging-signalr", note, "tcp port 5000"):
            websocket_talks.signalr(5000)


def grpc_web():
    with rpc_talks.grpc_web_server(8080):
        note = "connectrpc with its WSGI application, gRPC-Web over HTTP/1.1: a call, one that is refused, one with several answers."
        with recording("messaging-grpc-web", note, "tcp port 8080"):
            rpc_talks.grpc_web(8080)


def wamp():
    with rpc_talks.wamp_server(8081):
        note = "autobahn on both sides, WAMP in CBOR: a call, one that fails, a subscription and what is published to it."
        with recording("messaging-wamp-cbor", note, "tcp port 8081"):
            rpc_talks.wamp(8081)


def sockjs():
    with rpc_talks.sockjs_server(8082):
        note = "Requests as a page makes them with sockjs on aiohttp, JSONP: polls by script, messages by form, a close."
        with recording("messaging-sockjs-jsonp", note, "tcp port 8082"):
            rpc_talks.sockjs(8082)


def socketio():
    with socketio_talks.server(8083):
        note = (
            "python-socketio on both sides, Engine.IO 4: polling and then a WebSocket, two namespaces, one of which the server ends,"
            " acknowledgements of both sides, attachments, a ping."
        )
        with recording("messaging-socketio", note, "tcp port 8083"):
            socketio_talks.talk(8083)


def chat():
    """docs/examples/chat, in the folder where it lies."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/chat"
    note = "The chat of docs/examples/chat: protobuf behind a length; after four heartbeats the server says nothing any more, and the client reconnects."
    with talks.running(sys.executable, folder / "server.py", 7000, "--mute", 4, ports=(7000,)):
        with recording("messaging-chat", note, "tcp port 7000"):
            with talks.running(sys.executable, folder / "client.py", 7000, "--seconds", 11, ports=()) as client:
                client.wait(30)


for one in [globals()[name] for name in sys.argv[1:]] or (mqtt, redis, nats, irc, xmpp, rabbit, graphql, signalr, grpc_web, wamp, sockjs, socketio, chat):
    one()
