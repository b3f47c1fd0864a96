/// One end of a TLS connection in Python, with the TLS library apart from the socket, so that each ending can be sent and seen for itself.
///
/// `python3 -c SCRIPT client|server PORT 1.2|1.3 FOLDER STEP…`; a server prints its port first. Then a line for each thing seen.
enum PeerScript {
    static let text = #"""
        import array, fcntl, select, socket, ssl, struct, sys, termios, time

        role, port, version, folder, steps = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:]
        pattern = bytes(range(251)) * 1000
        sent = seen = 0

        def say(*words): print(*words, flush=True)

        def part(offset, count): return pattern[offset % 251 : offset % 251 + count]

        def make(listening):
            s = socket.socket()
            if "slow" in steps: s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            if listening:
                s.bind(("127.0.0.1", 0)); s.listen(1); say("port", s.getsockname()[1])
                s.settimeout(10); c, _ = s.accept(); s.close()
                if "slow" in steps: c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            else:
                s.settimeout(10); s.connect(("127.0.0.1", port)); c = s
            c.settimeout(10)
            c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return c

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if role == "server" else ssl.PROTOCOL_TLS_CLIENT)
        if role == "server": context.load_cert_chain(folder + "/server.pem")
        else: context.load_verify_locations(folder + "/authority.pem")
        context.minimum_version = context.maximum_version = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[version]

        sock = make(role == "server")
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_side=role == "server", server_hostname=None if role == "server" else "localhost")
        chunk = 1024 if "slow" in steps else 65536
        notified = False

        class Fin(Exception): pass

        def flush():
            data = outgoing.read()
            if data: sock.sendall(data)

        def fill():
            data = sock.recv(chunk)
            if not data: raise Fin()
            incoming.write(data)

        def read(most):
            while True:
                try:
                    data = tls.read(most)
                    if not data: raise ssl.SSLZeroReturnError()
                    return data
                except ssl.SSLWantReadError:
                    flush(); fill()

        def take(data):
            global seen
            if data != part(seen, len(data)): say("wrong bytes at", seen)
            seen += len(data)

        def see():
            global notified
            start = seen
            try:
                if notified:
                    stray = 0
                    while True:
                        data = sock.recv(65536)
                        if not data: break
                        stray += len(data)
                    if stray: say("stray", stray)
                    ending = "fin"
                else:
                    while True: take(read(65536))
            except ssl.SSLZeroReturnError: ending = "notify"; notified = True
            except Fin: ending = "fin"
            except ConnectionResetError: ending = "reset"
            except ssl.SSLError as error: ending = "error " + str(error.reason)
            if seen > start: say("data", seen - start)
            say(ending)

        def reset():
            end = time.monotonic() + 5
            left = array.array("i", [1])
            while time.monotonic() < end:
                fcntl.ioctl(sock, termios.TIOCOUTQ, left)
                if left[0] == 0: break
                time.sleep(0.001)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()

        try:
            while True:
                try: tls.do_handshake(); break
                except ssl.SSLWantReadError: flush(); fill()
            flush()
            say("version", tls.version())
            for step in steps:
                word, _, number = step.partition(":")
                if word == "send":
                    end = sent + int(number)
                    while sent < end:
                        data = part(sent, min(65536, end - sent))
                        tls.write(data); flush(); sent += len(data)
                elif word == "take":
                    end = seen + int(number)
                    while seen < end: take(read(end - seen))
                    say("took", int(number))
                elif word == "notify":
                    # Python goes on to read after it has sent close_notify; it must find nothing.
                    unread = incoming.read()
                    try: tls.unwrap()
                    except ssl.SSLWantReadError: pass
                    flush()
                    incoming.write(unread)
                elif word == "fin": sock.shutdown(socket.SHUT_WR)
                elif word == "reset": reset()
                elif word == "see": see()
                elif word == "quiet": say("quiet" if not select.select([sock], [], [], 0.2)[0] else "not quiet")
        except socket.timeout: say("timeout")
        except Fin: say("unexpected fin")
        except Exception as error: say("error", type(error).__name__, error)
        """#
}
