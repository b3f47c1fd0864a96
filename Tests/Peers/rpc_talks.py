#!/usr/bin/env python3
"""gRPC-Web over HTTP/1.1, WAMP over WebSocket and SockJS by JSONP; `rpc_talks.py grpc_web|wamp|sockjs PORT` is the server.

gRPC-Web is connectrpc on both sides: its client with its WSGI application, served by the standard library. grpcio itself speaks HTTP/2 and
nothing else. WAMP is autobahn on both sides, in CBOR, MessagePack or JSON: it has no router, so the one here is as much of one as the
client asks for, on autobahn's own messages. SockJS is the server of that name for aiohttp, with requests such as the `<script>` and the form
of a page make them: there is no client for Python.
"""

import asyncio
import contextlib
import http.client
import json
import secrets
import socketserver
import sys
import urllib.parse
import wsgiref.simple_server

from messaging_talks import library, running

SERVICE = "im.chat.Chat"


@contextlib.contextmanager
def grpc_web_server(port):
    for name in ("connectrpc.server", "connectrpc.compat", "google.protobuf"):
        library(name)
    with running(sys.executable, __file__, "grpc_web", port, ports=(port,)):
        yield


@contextlib.contextmanager
def wamp_server(port):
    for name in ("autobahn.asyncio.websocket", "cbor2"):
        library(name)
    with running(sys.executable, __file__, "wamp", port, ports=(port,)):
        yield


@contextlib.contextmanager
def sockjs_server(port):
    for name in ("sockjs", "aiohttp"):
        library(name)
    with running(sys.executable, __file__, "sockjs", port, ports=(port,)):
        yield


def chat_messages():
    """The types of docs/examples/grpc-web/chat.proto, made here: no compiler is needed."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="chat.proto", package="im.chat", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in (
        ("Say", (("room", kinds.TYPE_STRING), ("text", kinds.TYPE_STRING), ("count", kinds.TYPE_UINT32))),
        ("Said", (("text", kinds.TYPE_STRING), ("sequence", kinds.TYPE_SINT64), ("likes", kinds.TYPE_DOUBLE))),
    ):
        message = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(fields, 1):
            message.field.add(name=field, number=number, type=kind, label=kinds.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return [message_factory.GetMessageClass(pool.FindMessageTypeByName(f"im.chat.{name}")) for name in ("Say", "Said")]


def methods():
    """The methods of the service, by name."""
    from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType

    say, said = chat_messages()
    return {
        name: MethodInfo(
            name=name, service_name=SERVICE, input=say, output=said, idempotency_level=IdempotencyLevel.UNKNOWN, stream_type=stream)
        for name, stream in (
            ("Say", StreamType.UNARY), ("Refuse", StreamType.UNARY), ("Count", StreamType.SERVER_STREAM))
    }


def grpc_web(port, compressed=False):
    """A call, one that is refused, and one with several answers; in pieces that gzip has made smaller where that is wanted."""
    client_module, protocol, errors = library("connectrpc.client"), library("connectrpc.protocol"), library("connectrpc.errors")
    compat = library("connectrpc.compat")
    gzip = library("connectrpc.compression.gzip").GzipCompression() if compressed else None
    known = methods()
    seen = []
    client = client_module.ConnectClientSync(
        f"http://127.0.0.1:{port}", protocol=protocol.ProtocolType.GRPC_WEB, codec=compat.google_protobuf_binary_codec(),
        accept_compression=[gzip] if gzip else [], send_compression=gzip)
    say = known["Say"].input
    answer = client.execute_unary(request=say(room="7", text="hello"), method=known["Say"])
    seen.append([answer.text, answer.sequence])
    try:
        client.execute_unary(request=say(room="7", text="no"), method=known["Refuse"])
    except errors.ConnectError as error:
        seen.append([error.code.value, error.message])
    for one in client.execute_server_stream(request=say(room="7", count=3), method=known["Count"]):
        seen.append([one.sequence, one.likes])
    client.close()
    return seen


def serve_grpc_web(port):
    from connectrpc.code import Code
    from connectrpc.compat import google_protobuf_binary_codec
    from connectrpc.errors import ConnectError
    from connectrpc.server import ConnectWSGIApplication, EndpointSync

    known = methods()
    said = known["Say"].output

    def say(request, _):
        return said(text=request.text.upper(), sequence=-1)

    def refuse(request, _):
        raise ConnectError(Code.NOT_FOUND, "no such room: grün 100%")

    def count(request, _):
        for number in range(request.count):
            yield said(sequence=number, likes=number / 2)

    endpoints = {
        f"/{SERVICE}/Say": EndpointSync.unary(method=known["Say"], function=say),
        f"/{SERVICE}/Refuse": EndpointSync.unary(method=known["Refuse"], function=refuse),
        f"/{SERVICE}/Count": EndpointSync.server_stream(method=known["Count"], function=count),
    }

    class Application(ConnectWSGIApplication):
        @property
        def path(self):
            return f"/{SERVICE}"

    class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
        daemon_threads = True

    class Handler(wsgiref.simple_server.WSGIRequestHandler):
        # What connectrpc sends ends with its connection.
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

    application = Application(endpoints=endpoints, codecs=[google_protobuf_binary_codec()])
    wsgiref.simple_server.make_server("127.0.0.1", port, application, Server, Handler).serve_forever()


def serializer(name):
    serializers = library("autobahn.wamp.serializer")
    return {"cbor": serializers.CBORSerializer, "msgpack": serializers.MsgPackSerializer, "json": serializers.JsonSerializer}[name]


def wamp(port, packing="cbor", batched=False):
    """A call with its result, one that fails, a subscription and what is published to it, a goodbye."""
    websocket, wamp_, types = library("autobahn.asyncio.websocket"), library("autobahn.asyncio.wamp"), library("autobahn.wamp.types")
    errors = library("autobahn.wamp.exception")

    async def talk():
        done = asyncio.get_running_loop().create_future()
        seen = []

        class Session(wamp_.ApplicationSession):
            async def onJoin(self, _):
                seen.append(await self.call("com.example.add", 2, 3, note="grüß"))
                try:
                    await self.call("com.example.fail", b"\x00\xff")
                except errors.ApplicationError as error:
                    seen.append([error.error, list(error.args)])
                heard = asyncio.get_running_loop().create_future()
                await self.subscribe(lambda *words, **named: heard.set_result([list(words), named]), "com.example.said")
                await self.publish(
                    "com.example.said", "hello", [1, -1, 1.5, None, True], who="ada",
                    options=types.PublishOptions(acknowledge=True, exclude_me=False))
                seen.append(await asyncio.wait_for(heard, 10))
                self.leave()

            def onDisconnect(self):
                if not done.done():
                    done.set_result(None)

        factory = websocket.WampWebSocketClientFactory(
            lambda: Session(types.ComponentConfig("realm1")), url=f"ws://127.0.0.1:{port}/ws", serializers=[serializer(packing)(batched=batched)])
        await asyncio.get_running_loop().create_connection(factory, "127.0.0.1", port)
        await asyncio.wait_for(done, 15)
        return seen

    return asyncio.run(talk())


def serve_wamp(port):
    from autobahn.asyncio.websocket import WampWebSocketServerFactory
    from autobahn.wamp import message, role

    class Router:
        """One session: it answers what the client above asks for."""

        # The transport writes them into its log.
        _authid = _session_id = None

        def onOpen(self, transport):
            self.transport = transport

        def onMessage(self, given):
            send = self.transport.send
            if isinstance(given, message.Hello):
                send(message.Welcome(9129137332, {"broker": role.RoleBrokerFeatures(), "dealer": role.RoleDealerFeatures()}, realm="realm1"))
            elif isinstance(given, message.Call) and given.procedure == "com.example.add":
                send(message.Result(given.request, args=[sum(given.args)]))
            elif isinstance(given, message.Call):
                send(message.Error(message.Call.MESSAGE_TYPE, given.request, "com.example.refused", args=["not today", given.args[0]]))
            elif isinstance(given, message.Subscribe):
                send(message.Subscribed(given.request, 4711))
            elif isinstance(given, message.Publish):
                send(message.Published(given.request, 815))
                send(message.Event(4711, 815, args=given.args, kwargs=given.kwargs))
            elif isinstance(given, message.Goodbye):
                send(message.Goodbye())
                self.transport.close()

        def onClose(self, _):
            pass

    async def serve():
        kinds = [serializer(name)(batched=batched) for name in ("cbor", "msgpack", "json") for batched in (False, True)]
        factory = WampWebSocketServerFactory(Router, serializers=kinds)
        server = await asyncio.get_running_loop().create_server(factory, "127.0.0.1", port)
        await server.serve_forever()

    asyncio.run(serve())


def sockjs(port):
    """What a page without WebSocket does: it polls by `<script>` and sends by form, one connection each."""
    polls, sends = (http.client.HTTPConnection("127.0.0.1", port, timeout=10) for _ in range(2))
    seen = []
    session = f"/chat/123/{secrets.token_hex(4)}"

    def poll(number):
        polls.request("GET", f"{session}/jsonp?c=_jp.a{number}")
        answer = polls.getresponse().read().decode()
        # The comment is against sniffing of types.
        assert answer.startswith(f"/**/_jp.a{number}(") and answer.endswith(");\r\n"), answer
        seen.append(json.loads(answer[answer.index("(") + 1:answer.rindex(")")]))

    def send(*messages):
        body = urllib.parse.urlencode({"d": json.dumps(messages)})
        sends.request("POST", f"{session}/jsonp_send", body, {"Content-Type": "application/x-www-form-urlencoded"})
        seen.append(sends.getresponse().read().decode())

    poll(0)
    send("grüß dich", '{"type":"like","count":2}')
    poll(1)
    send("a line\nand \\n another")
    poll(2)
    send("bye")
    poll(3)
    for one in (polls, sends):
        one.close()
    return seen


def serve_sockjs(port):
    import sockjs
    from aiohttp import web

    async def hear(_, session, message):
        if message.type == sockjs.MsgType.MESSAGE:
            if message.data == "bye":
                session.close(3000, "Go away!")
            else:
                session.send(message.data)

    application = web.Application()
    sockjs.add_endpoint(application, hear, name="chat", prefix="/chat")
    web.run_app(application, host="127.0.0.1", port=port, print=None)


if __name__ == "__main__":
    {"grpc_web": serve_grpc_web, "wamp": serve_wamp, "sockjs": serve_sockjs}[sys.argv[1]](int(sys.argv[2]))
