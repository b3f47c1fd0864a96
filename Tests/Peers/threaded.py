"""A server on loopback that serves each connection on a thread of its own."""

import collections
import socket
import threading


class Server:
    """Has `talk` serve each connection, on a port that the kernel picks; `seen` has what went wrong last."""

    def __init__(self, talk, address="127.0.0.1", patience=None):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.listener = socket.create_server((address, 0), family=family, backlog=4096)
        self.port = self.listener.getsockname()[1]
        self.talk, self.patience, self.seen = talk, patience, collections.deque(maxlen=100)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.settimeout(self.patience)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            self.talk(connection)
        except (OSError, AssertionError) as error:
            self.seen.append(str(error))
        finally:
            connection.close()
