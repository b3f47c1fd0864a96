// The shapes of what the server sends, known to every module, for `tsc --checkJs`; the page does not load this file.

type Severity = "note" | "warning" | "violation";

/** A row of a view: one record of the session file on one line. */
interface Row {
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

interface Finding {
  record?: number;
  id?: string;
  severity?: Severity;
  reference?: string | null;
  detail?: string | null;
  time?: string | null;
}

interface Conversation {
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

interface Detail {
  id: number;
  n?: number;
  /** The row of the message that it replies to. */
  call?: number | null;
  /** The log's record, without its payload. */
  record: Record<string, any>;
  /** What `unmask read` prints. */
  text: string[];
  payload: { kind: "text" | "binary" | null; length: number; stored: number };
  decoded?: any;
  findings?: Finding[];
}

interface RunState {
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

interface Counts {
  total: number;
  scanned: number;
  rows: number;
  complete: boolean;
  hidden?: { filter?: number; search?: number; heartbeats?: number };
  rows_at?: number;
  list?: Row[];
}

/** A timeline: what each side sent in each of its buckets. */
interface Picture {
  first: string;
  last: string;
  client: number[];
  server: number[];
  client_bytes: number[];
  server_bytes: number[];
  findings: { time: string; severity: Severity; id: number }[];
  /** Requests and pings that took longest, when the reply came. */
  trips: { id: number; time: string; took: string; ping: boolean }[];
  /** Whether all calls were matched with their replies. */
  complete: boolean;
}

/** Attributes that the libraries of older compilers do not know. */
interface Element {
  role: string | null;
  ariaInvalid: string | null;
}

/** What is counted of a view. */
interface Statistics {
  seconds?: { first: string; width: string; client: number[]; server: number[] };
  sizes?: { to: number; client: number; server: number }[];
  latencies?: { to: string; count: number }[];
  hosts?: { name: string; conversations: number; messages: [number, number]; bytes: [number, number]; findings: number }[];
  /** Types of messages, and whether all messages were counted for them. */
  messages?: { name: string; count: number; bytes: number }[];
  typed?: boolean;
  types?: { name: string; count: number; bytes: number }[];
}

/** What is chosen. */
interface Choice {
  /** The one whose rows are shown; null for all. */
  conversation: number | null;
  filter: string;
  search: string;
  /** Whether they are shown. */
  heartbeats: boolean;
  /** Nanoseconds, as digits. */
  since: string | null;
  until: string | null;
  kinds: "all" | "messages";
  /** The chosen row. */
  id: number | null;
  follow: boolean;
  tab: string;
  sort: string;
  match: string;
}

/** What a grid shows. */
interface Content {
  label: string;
  /** The name is a class of the cells, which gives their width. */
  columns: { name: string; title: string }[];
  fill: (cells: HTMLElement[], index: number, row: HTMLElement) => void;
  seen?: (first: number, last: number) => void;
  /** A row became the active one. */
  activated: (index: number, byHand: boolean) => void;
  /** Enter or a double click. */
  entered?: (index: number) => void;
}

/** What a copy is made of. */
interface Subject {
  detail: Detail;
  bytes: Uint8Array;
  conversation: Conversation | null;
  /** The inputs that `unmask read` would read. */
  files: string[];
}
