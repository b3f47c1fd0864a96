// What a row is copied as, quoted for where it goes.

/**
 * A word for bash or zsh, without controls.
 * @param {string} text
 */
export function shell(text) {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!/[\0-\x1f\x7f-\x9f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${text.replace(/['\\\0-\x1f\x7f-\x9f]/g, (sign) => `\\u00${digits(sign.charCodeAt(0))}`)}'`;
}

/** @param {Uint8Array} bytes */
export function base64(bytes) {
  let text = "";
  for (let from = 0; from < bytes.length; from += 0x6000) text += String.fromCharCode(...bytes.subarray(from, from + 0x6000));
  return btoa(text);
}

/** @param {number} byte */
const digits = (byte) => byte.toString(16).padStart(2, "0");

/** @param {Uint8Array} bytes */
export const hexadecimal = (bytes) => Array.from(bytes, digits).join(" ");

/**
 * @param {Uint8Array} bytes
 * @returns {string | null} null where they are no text
 */
export function utf8(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** @param {Conversation | null} conversation */
const isSecure = (conversation) => conversation?.tls ?? conversation?.server.endsWith(":443") ?? false;

/**
 * @param {Subject} subject
 * @param {"http" | "ws"} scheme
 */
function url({ detail, conversation }, scheme) {
  const { record } = detail;
  /** @type {[string, string][]} */
  const headers = record.headers ?? [];
  const named = headers.find(([name]) => /^(host|:authority)$/i.test(name))?.[1];
  const host = named ?? record.host ?? conversation?.name ?? conversation?.server ?? "localhost";
  const target = record.target ?? conversation?.path ?? "/";
  if (/^https?:\/\//i.test(target)) return target;
  const port = /:\d+$/.exec(conversation?.server ?? "")?.[0] ?? "";
  const needsPort = named === undefined && !/:\d+$/.test(host) && port !== ":80" && port !== ":443";
  return `${scheme}${isSecure(conversation) ? "s" : ""}://${host}${needsPort ? port : ""}${target.startsWith("/") ? target : `/${target}`}`;
}

/** Headers that a client makes by itself. */
const own = /^(host|content-length|connection|upgrade|sec-websocket-.*|transfer-encoding|:.*)$/i;

/** @param {Subject} subject */
function curl(subject) {
  const { record } = subject.detail;
  const words = ["curl", "-i"];
  const to = url(subject, "http");
  if (/[[{]/.test(to)) words.push("-g");
  if (/\/(\.|%2e){1,2}([/?]|$)/i.test(to)) words.push("--path-as-is");
  if (record.method === "HEAD") words.push("-I");
  else if (record.method && record.method !== "GET") words.push("-X", shell(record.method));
  for (const [name, value] of record.headers ?? []) {
    if (!own.test(name)) words.push("-H", shell(value ? `${name}: ${value}` : `${name};`));
    if (/^(content-length|transfer-encoding)$/i.test(name) && value !== "0") words.push("--data-binary", "@SAVED-BODY");
  }
  words.push(shell(to));
  return words.join(" ");
}

/** @param {Subject} subject */
function websocat(subject) {
  const text = utf8(subject.bytes);
  const address = shell(url(subject, "ws"));
  if (subject.detail.record.kind !== "message") return `websocat ${address}`;
  if (text !== null && !text.includes("\0") && subject.detail.record.opcode !== "binary") {
    return `printf %s ${shell(text)} | websocat -n1 ${address}`;
  }
  return `printf %s ${shell(base64(subject.bytes))} | base64 -d | websocat -b -n1 ${address}`;
}

/**
 * A literal of Swift: JSON's, but for escapes by number.
 * @param {string} text
 */
export function swiftString(text) {
  let literal = '"';
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    if (sign === '"' || sign === "\\") literal += `\\${sign}`;
    else if (sign === "\n") literal += "\\n";
    else if (sign === "\r") literal += "\\r";
    else if (sign === "\t") literal += "\\t";
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) {
      literal += `\\u{${code.toString(16)}}`;
    } else literal += sign;
  }
  return `${literal}"`;
}

/** @param {Subject} subject */
function swift({ bytes }) {
  const text = utf8(bytes);
  if (text !== null) return `let payload = Data(${swiftString(text)}.utf8)`;
  return `let payload = Data([${Array.from(bytes, (byte) => `0x${digits(byte)}`).join(", ")}])`;
}

/** @param {Subject} subject */
function python({ bytes }) {
  let literal = "";
  for (const byte of bytes) {
    if (byte === 0x5c || byte === 0x22) literal += `\\${String.fromCharCode(byte)}`;
    else if (byte === 0x0a) literal += "\\n";
    else if (byte === 0x0d) literal += "\\r";
    else if (byte === 0x09) literal += "\\t";
    else if (byte >= 0x20 && byte < 0x7f) literal += String.fromCharCode(byte);
    else literal += `\\x${digits(byte)}`;
  }
  return `payload = b"${literal}"`;
}

/** @param {Subject} subject */
function command({ detail, files }) {
  const { record } = detail;
  const words = ["unmask", "read", ...files.map(shell)];
  if (record.conversation) words.push("--conversation", String(record.conversation));
  if (record.time) words.push("--since", shell(record.time), "-Y", shell(`frame.time == "${record.time}"`));
  return words.join(" ");
}

/** @param {Subject} subject */
function recordJSON({ detail, bytes }) {
  const text = utf8(bytes);
  const payload = detail.payload?.kind ? (text === null ? { base64: base64(bytes) } : { text }) : {};
  return JSON.stringify({ ...detail.record, ...payload }, null, 2);
}

/**
 * In the order of the menu.
 * @type {{name: string, fits?: (detail: Detail) => boolean, made: (subject: Subject) => string}[]}
 */
export const ways = [
  { name: "Line as printed", made: ({ detail }) => detail.text.join("\n") },
  { name: "Text", fits: hasPayload, made: ({ bytes }) => new TextDecoder().decode(bytes) },
  { name: "JSON record", made: recordJSON },
  { name: "Hex", fits: hasPayload, made: ({ bytes }) => hexadecimal(bytes) },
  { name: "Base64", fits: hasPayload, made: ({ bytes }) => base64(bytes) },
  { name: "curl", fits: (detail) => detail.record.kind === "request", made: curl },
  { name: "websocat", fits: (detail) => ["message", "upgrade"].includes(detail.record.kind), made: websocat },
  { name: "Swift", fits: hasPayload, made: swift },
  { name: "Python", fits: hasPayload, made: python },
  { name: "unmask read …", made: command },
];

/** @param {Detail} detail */
export function hasPayload(detail) {
  return detail.payload?.kind !== null && detail.payload?.kind !== undefined && detail.payload.stored > 0;
}
