// The shapes of what the server sends, for `tsc --checkJs`; the page does not load this file.

export type Severity = "note" | "warning" | "violation";

/** A row of a view: one record of the session file on one line. */
export interface Row {
  id: number;
  /** Its conversation; 0 where it has none. */
  n: number;
  /** Nanoseconds since 1970, as digits. */
  t: string;
  /** Who sent it: client, server. */
  s: 0 | 1 | null;
  /** Its kind. */
  k: string;
  /** Length in bytes. */
  b: number;
  /** One line of text. */
  x: string;
  /** Text or binary. */
  o?: string | null;
  v?: Severity | null;
  /** Whether some of its payload is missing. */
  z?: boolean;
}

export interface Finding {
  record?: number;
  id?: string;
  severity?: Severity;
  reference?: string | null;
  detail?: string | null;
  time?: string | null;
}

export interface Conversation {
  n: number;
  opened: string;
  closed: string | null;
  client: string;
  server: string;
  name: string | null;
  path: string | null;
  protocol: string;
  how: string | null;
  by?: string | null;
  code: number | null;
  duration?: string | null;
  messages: [number, number];
  bytes: [number, number];
  findings: number;
  worst: Severity | null;
  tls?: boolean;
  text?: string[];
  findings_list?: Finding[];
}

export interface Detail {
  id: number;
  n?: number;
  /** The log's record, without its payload. */
  record: Record<string, any>;
  /** What `unmask read` prints. */
  text: string[];
  payload: { kind: "text" | "binary" | null; length: number; stored: number };
  decoded?: any;
  findings?: Finding[];
}

export interface RunState {
  tool: string;
  inputs: string[];
  live: boolean;
  finished: boolean;
  rows: number;
  messages: number;
  conversations: number;
  first: string | null;
  last: string | null;
  problem: string | null;
  saved: string | null;
}

export interface Counts {
  total: number;
  scanned: number;
  rows: number;
  complete: boolean;
  hidden?: { filter?: number; search?: number; heartbeats?: number };
}

/** A timeline: what each side sent in each of its buckets. */
export interface Picture {
  first: string;
  last: string;
  client: number[];
  server: number[];
  client_bytes: number[];
  server_bytes: number[];
  findings: { time: string; severity: Severity; id: number }[];
}
