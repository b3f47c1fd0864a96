"""gRPC over HTTP/2 between grpcio's client and server: every kind of call, errors, compression, deadlines."""

import concurrent.futures
import contextlib
import threading

from messaging_talks import library
from rpc_talks import SERVICE, chat_messages

# Without a proxy of the environment, and each talk on a connection of its own.
OPTIONS = (("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1))


def handlers(grpc):
    say, said = chat_messages()

    def answer(request, _):
        return said(text=request.text.upper(), sequence=-1)

    def refuse(request, context):
        context.abort(grpc.StatusCode.NOT_FOUND, "no such room: grün 100%")

    def count(request, _):
        for number in range(request.count):
            yield said(sequence=number, likes=number / 2)

    def collect(requests, _):
        words = [request.text for request in requests]
        return said(text=" ".join(words), sequence=len(words))

    def chat(requests, _):
        for request in requests:
            yield said(text=request.text.upper())

    def wait(request, context):
        # Until the call is over, which its deadline sees to.
        over = threading.Event()
        context.add_callback(over.set)
        over.wait(20)
        return said(text="too late")

    def packed(request, context):
        context.set_compression(grpc.Compression.Gzip)
        return said(text=request.text * 10)

    kinds = {
        "Say": (grpc.unary_unary_rpc_method_handler, answer), "Refuse": (grpc.unary_unary_rpc_method_handler, refuse),
        "Count": (grpc.unary_stream_rpc_method_handler, count), "Collect": (grpc.stream_unary_rpc_method_handler, collect),
        "Chat": (grpc.stream_stream_rpc_method_handler, chat), "Wait": (grpc.unary_unary_rpc_method_handler, wait),
        "Packed": (grpc.unary_unary_rpc_method_handler, packed),
    }
    made = {
        name: make(function, request_deserializer=say.FromString, response_serializer=said.SerializeToString)
        for name, (make, function) in kinds.items()
    }
    return grpc.method_handlers_generic_handler(SERVICE, made)


@contextlib.contextmanager
def server(certificate=None, port=0):
    """Serves on loopback, with TLS where there is a certificate (a PEM file with its key); gives the port."""
    grpc = library("grpc")
    made = grpc.server(concurrent.futures.ThreadPoolExecutor(4), options=(("grpc.so_reuseport", 0),))
    made.add_generic_rpc_handlers((handlers(grpc),))
    address = f"127.0.0.1:{port}"
    if certificate:
        pem = certificate.read_bytes()
        start = pem.index(b"-----BEGIN PRIVATE KEY")
        port = made.add_secure_port(address, grpc.ssl_server_credentials([(pem[start:], pem[:start])]))
    else:
        port = made.add_insecure_port(address)
    made.start()
    try:
        yield port
    finally:
        made.stop(0).wait(10)


def talk(port, authority=None):
    """Says everything once, one call after the other on one connection; gives what came back."""
    grpc = library("grpc")
    say, said = chat_messages()
    address = f"localhost:{port}"
    if authority:
        credentials = grpc.ssl_channel_credentials(authority.read_bytes())
        channel = grpc.secure_channel(address, credentials, options=OPTIONS)
    else:
        channel = grpc.insecure_channel(address, options=OPTIONS)
    coders = {"request_serializer": say.SerializeToString, "response_deserializer": said.FromString}
    path = f"/{SERVICE}/".__add__
    seen = []
    with channel:
        answer = channel.unary_unary(path("Say"), **coders)(say(room="7", text="hello"), timeout=15)
        seen.append([answer.text, answer.sequence])
        stream = channel.unary_stream(path("Count"), **coders)(say(room="7", count=3), timeout=15)
        seen.append([[one.sequence, one.likes] for one in stream])
        answer = channel.stream_unary(path("Collect"), **coders)(iter([say(text="one"), say(text="two"), say(text="three")]), timeout=15)
        seen.append([answer.text, answer.sequence])
        stream = channel.stream_stream(path("Chat"), **coders)(iter([say(text="ping"), say(text="grüß dich")]), timeout=15)
        seen.append([one.text for one in stream])
        packed = channel.unary_unary(path("Packed"), **coders)
        seen.append(packed(say(text="again and " * 20), timeout=15, compression=grpc.Compression.Gzip).text)
        for name, patience in (("Refuse", 15), ("Wait", 0.3), ("Nothing", 15)):
            try:
                channel.unary_unary(path(name), **coders)(say(room="7"), timeout=patience)
            except grpc.RpcError as error:
                seen.append([error.code().name, error.details() if name == "Refuse" else ""])
    return seen
