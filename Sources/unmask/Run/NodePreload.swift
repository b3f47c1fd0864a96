/// What makes Node's connections go through the proxy: Node before version 24 knows no proxy setting, and the package `ws` none in any.
///
/// A script that `NODE_OPTIONS` has Node load before the program. It takes the two places where every connection begins, `net.Socket.connect`
/// and `tls.connect`, and asks the proxy for a tunnel first (RFC 9110, section 9.3.6); the program sees its socket connect a little later.
enum NodePreload {
    static func script(port: UInt16) -> String {
        #"""
        // Sends this program's TCP connections through the proxy of `unmask run`, whatever library opens them.
        'use strict';
        const net = require('net'), tls = require('tls'), { Duplex } = require('stream');
        const proxy = { host: '127.0.0.1', port: \#(port) };
        const codes = { connection_refused: 'ECONNREFUSED', connection_timeout: 'ETIMEDOUT', dns_error: 'ENOTFOUND', dns_timeout: 'EAI_AGAIN' };
        const isOurs = o => Number(o.port) === proxy.port && (!o.host || o.host === proxy.host || o.host === 'localhost');
        const goesThrough = o => o.port && !o.path && !o.fd && !o.onread && !isOurs(o);

        // The socket is connected to the proxy, and for its owner it still connects until the proxy has reached the server.
        function ask(socket, target) {
          let head = Buffer.alloc(0);
          const { emit, push } = socket;
          const give = (...event) => emit.apply(socket, event);
          const answered = () => {
            const end = head.indexOf('\r\n\r\n');
            if (end < 0) return head.length < 65536;
            const text = head.subarray(0, end).toString('latin1'), rest = head.subarray(end + 4);
            delete socket.emit;
            delete socket.push;
            if (!/^HTTP\/1\.[01] 200/.test(text)) {
              const reason = (/error=(\w+)/.exec(text) || [])[1];
              const error = new Error(`connect ${codes[reason] || 'ECONNRESET'} ${target}`);
              Object.assign(error, { code: codes[reason] || 'ECONNRESET', syscall: 'connect' });
              socket.destroy(error);
              return true;
            }
            socket.connecting = false;
            give('connect');
            give('ready');
            if (rest.length) socket.push(rest);
            return true;
          };
          socket.emit = function (event, ...rest) {
            if (event === 'ready') return true;
            if (event !== 'connect') return emit.call(this, event, ...rest);
            net.Socket.prototype._writeGeneric.call(this, false, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`, 'latin1', () => {});
            this.connecting = true;
            if (!this._handle.reading) {
              this._handle.reading = true;
              this._handle.readStart();
            }
            return true;
          };
          socket.push = function (chunk, ...more) {
            if (chunk === null) {
              delete socket.emit;
              delete socket.push;
              socket.destroy(Object.assign(new Error(`connect ECONNRESET ${target}`), { code: 'ECONNRESET', syscall: 'connect' }));
              return false;
            }
            head = Buffer.concat([head, chunk]);
            return answered();
          };
        }

        const connect = net.Socket.prototype.connect;
        net.Socket.prototype.connect = function (...args) {
          const [options, listener] = Array.isArray(args[0]) ? args[0] : net._normalizeArgs(args);
          if (this instanceof tls.TLSSocket || !goesThrough(options)) return connect.apply(this, args);
          const host = options.host || 'localhost';
          ask(this, net.isIPv6(host) ? `[${host}]:${options.port}` : `${host}:${options.port}`);
          const direct = { ...options, ...proxy, family: 4 };
          for (const name of ['lookup', 'localAddress', 'localPort', 'hints']) delete direct[name];
          return listener ? connect.call(this, direct, listener) : connect.call(this, direct);
        };

        // TLS reads from its connection's descriptor, so it gets a stream instead, on which the way to the server is there when it is.
        function tunnel(options) {
          const socket = net.connect({ host: options.host || 'localhost', port: options.port });
          const stream = new Duplex({
            read() { socket.resume(); },
            write(chunk, encoding, done) { socket.write(chunk, encoding, done); },
            final(done) { socket.end(done); },
            destroy(error, done) { socket.destroy(error); done(error); },
          });
          socket.on('data', chunk => { if (!stream.push(chunk)) socket.pause(); });
          socket.on('end', () => stream.push(null));
          socket.on('error', error => stream.destroy(error));
          socket.on('close', () => stream.destroy());
          return { socket, stream };
        }

        const secure = tls.connect;
        tls.connect = function (...args) {
          const [options, listener] = net._normalizeArgs(args);
          const more = args.find((each, index) => index > 0 && each && typeof each === 'object');
          const all = { ...more, ...options };
          if (all.socket || !goesThrough(all)) return secure.apply(this, args);
          const { socket, stream } = tunnel(all);
          const made = listener ? secure.call(this, { ...all, socket: stream }, listener) : secure.call(this, { ...all, socket: stream });
          made.ref = () => (socket.ref(), made);
          made.unref = () => (socket.unref(), made);
          return made;
        };
        try { require('module').syncBuiltinESMExports(); } catch {}

        """#
    }
}
