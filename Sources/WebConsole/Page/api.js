// The requests to the server. Every one carries the token of the page's fragment, which is kept nowhere else.

/** @returns {string} the token: what the fragment has before its first `&` */
export function token() {
  return location.hash.slice(1).split("&", 1)[0];
}

/** What the server refused, with the column of a filter. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{error?: string, column?: number, length?: number}} body
   */
  constructor(status, body) {
    super(body.error ?? `the server responded with ${status}`);
    this.status = status;
    this.column = body.column ?? null;
    this.length = body.length ?? 1;
  }
}

/** @param {unknown} error */
export function isAborted(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * @param {string} path
 * @param {{body?: unknown, signal?: AbortSignal}} [options]
 */
async function request(path, options) {
  const { body, signal } = options ?? {};
  /** @type {Record<string, string>} */
  const headers = { Authorization: `Bearer ${token()}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(`/api/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  if (response.ok) return response;
  throw new Refused(response.status, await response.json().catch(() => ({})));
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function get(path, signal) {
  return (await request(path, { signal })).json();
}

/**
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function post(path, body, signal) {
  return (await request(path, { body, signal })).json();
}

/** @param {string} path */
export async function file(path) {
  return (await request(path)).blob();
}

/**
 * A part of a payload.
 * @param {number} id
 * @param {number} from
 * @param {number} count
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array>}
 */
export async function bytes(id, from, count, signal) {
  const response = await request(`payloads/${id}?from=${from}&count=${count}`, { signal });
  return new Uint8Array(await response.arrayBuffer());
}
