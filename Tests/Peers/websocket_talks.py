#!/usr/bin/env python3
"""GraphQL and SignalR over WebSocket, with clients that people use; `websocket_talks.py graphql|signalr PORT` is the server.

GraphQL is strawberry's on aiohttp, in both subprotocols, with gql as the client. The server of SignalR is our own, of as much of the hub
protocol as signalrcore asks for: there is none for Python.
"""

import asyncio
import contextlib
import json
import sys
import threading
import typing

from messaging_talks import library, running

END = "\x1e"


@contextlib.contextmanager
def graphql_server(port):
    for name in ("strawberry.aiohttp.views", "gql.transport.websockets", "websockets"):
        library(name)
    with running(sys.executable, __file__, "graphql", port, ports=(port,)):
        yield


@contextlib.contextmanager
def signalr_server(port):
    for name in ("signalrcore.hub_connection_builder", "aiohttp"):
        library(name)
    with running(sys.executable, __file__, "signalr", port, ports=(port,)):
        yield


def graphql(port, subprotocol="graphql-transport-ws"):
    """A query, a mutation, an error and a subscription; in the older subprotocol, which strawberry has for these alone, the last."""
    gql = library("gql")
    transport = library("gql.transport.websockets").WebsocketsTransport(
        url=f"ws://127.0.0.1:{port}/graphql", subprotocols=[subprotocol], close_timeout=2
    )

    async def talk():
        seen = []
        async with gql.Client(transport=transport, fetch_schema_from_transport=False) as session:
            if subprotocol == "graphql-transport-ws":
                seen.append(await session.execute(gql.gql("query Room { room }")))
                seen.append(await session.execute(gql.gql('mutation Say { say(text: "hello") }')))
                try:
                    await session.execute(gql.gql("query Broken { broken }"))
                except library("gql.transport.exceptions").TransportQueryError as error:
                    seen.append([one["message"] for one in error.errors])
            async for one in session.subscribe(gql.gql("subscription Numbers { numbers(upTo: 3) }")):
                seen.append(one)
        return seen

    return asyncio.run(talk())


def signalr(port):
    """An invocation with its result, one that fails, a message of the server's own, a ping."""
    builder = library("signalrcore.hub_connection_builder").HubConnectionBuilder()
    hub = builder.with_url(f"ws://127.0.0.1:{port}/hub", options={"skip_negotiation": True}).build()
    opened, heard, answered, closed, seen = *(threading.Event() for _ in range(4)), []

    def note(words):
        seen.append(words)
        if len(seen) == 2:
            answered.set()

    said = []
    hub.on_open(opened.set)
    hub.on_close(closed.set)
    hub.on_error(lambda message: note(message.error))
    hub.on("said", lambda arguments: (said.append(arguments), heard.set()))
    hub.start()
    assert opened.wait(10), "it did not open"
    hub.send("Add", [1, 2], lambda message: note(message.result))
    hub.send("Fail", [])
    assert answered.wait(10) and heard.wait(10), "no answer, or nothing was said"
    # The server closes: the client's own end of a connection waits for the next byte.
    hub.send("Leave", [])
    assert closed.wait(10), "it did not close"
    return [sorted(map(str, seen)), said]


def serve_graphql(port):
    import strawberry
    from aiohttp import web
    from strawberry.aiohttp.views import GraphQLView

    @strawberry.type
    class Query:
        @strawberry.field
        def room(self) -> str:
            return "seven"

        @strawberry.field
        def broken(self) -> str:
            raise ValueError("it is broken")

    @strawberry.type
    class Mutation:
        @strawberry.mutation
        def say(self, text: str) -> str:
            return text.upper()

    @strawberry.type
    class Subscription:
        @strawberry.subscription
        async def numbers(self, up_to: int) -> typing.AsyncGenerator[int, None]:
            for number in range(up_to):
                await asyncio.sleep(0.02)
                yield number

    application = web.Application()
    schema = strawberry.Schema(query=Query, mutation=Mutation, subscription=Subscription)
    application.router.add_route("*", "/graphql", GraphQLView(schema=schema))
    web.run_app(application, host="127.0.0.1", port=port, print=None)


def serve_signalr(port):
    from aiohttp import WSMsgType, web

    async def hub(request):
        socket = web.WebSocketResponse()
        await socket.prepare(request)

        async def send(*messages):
            await socket.send_str("".join(json.dumps(message, separators=(",", ":")) + END for message in messages))

        async for message in socket:
            if message.type != WSMsgType.TEXT:
                continue
            for text in filter(None, message.data.split(END)):
                one = json.loads(text)
                if "protocol" in one:
                    await send({}, {"type": 6}, {"type": 1, "target": "said", "arguments": ["hello"]})
                elif one.get("type") == 1 and one["target"] == "Add":
                    await send({"type": 3, "invocationId": one["invocationId"], "result": sum(one["arguments"])})
                elif one.get("type") == 1 and one["target"] == "Leave":
                    await send({"type": 7})
                    await socket.close()
                elif one.get("type") == 1:
                    await send({"type": 3, "invocationId": one["invocationId"], "error": "it failed"})
        return socket

    application = web.Application()
    application.router.add_get("/hub", hub)
    web.run_app(application, host="127.0.0.1", port=port, print=None)


if __name__ == "__main__":
    {"graphql": serve_graphql, "signalr": serve_signalr}[sys.argv[1]](int(sys.argv[2]))
