// Numbers, times and kinds as words.

/** @param {number} count */
export function grouped(count) {
  return count.toLocaleString("en-US");
}

/**
 * @param {number} count
 * @param {string} singular
 */
export function counted(count, singular) {
  return `${grouped(count)} ${singular}${count === 1 ? "" : "s"}`;
}

/** @param {number} count bytes, rounded to three digits */
export function size(count) {
  if (count < 1000) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let [value, unit] = [count / 1000, 0];
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** @param {bigint | number} nanoseconds a span, rounded */
export function span(nanoseconds) {
  const value = Number(nanoseconds);
  const sign = value < 0 ? "−" : "";
  const amount = Math.abs(value);
  /** @param {number} number */
  const short = (number) => (number < 9.95 ? number.toFixed(1) : String(Math.round(number)));
  if (amount < 1e3) return `${sign}${amount} ns`;
  if (amount < 999.5e3) return `${sign}${short(amount / 1e3)} µs`;
  if (amount < 999.5e6) return `${sign}${short(amount / 1e6)} ms`;
  if (amount < 119.5e9) return `${sign}${short(amount / 1e9)} s`;
  if (amount < 119.5 * 60e9) return `${sign}${Math.round(amount / 60e9)} min`;
  if (amount < 47.5 * 3600e9) return `${sign}${Math.round(amount / 3600e9)} h`;
  return `${sign}${Math.round(amount / 86400e9)} d`;
}

/**
 * The time of day in UTC.
 * @param {string | bigint} nanoseconds since 1970
 * @param {number} [digits] after the decimal point
 */
export function clock(nanoseconds, digits = 3) {
  const value = BigInt(nanoseconds);
  const date = new Date(Number(value / 1_000_000n));
  if (Number.isNaN(date.getTime())) return "";
  const fraction = String(value % 1_000_000_000n).padStart(9, "0").slice(0, digits);
  return `${date.toISOString().slice(11, 19)}.${fraction}`;
}

/** @param {string | bigint} nanoseconds since 1970; the moment in UTC as RFC 3339 has it */
export function moment(nanoseconds) {
  const value = BigInt(nanoseconds);
  const date = new Date(Number(value / 1_000_000n));
  if (Number.isNaN(date.getTime())) return "";
  return `${date.toISOString().slice(0, 19)}.${String(value % 1_000_000_000n).padStart(9, "0")}Z`;
}

/** @param {string | bigint} nanoseconds since 1970 */
export function day(nanoseconds) {
  return moment(nanoseconds).slice(0, 10);
}

/**
 * Seconds after the opening of a conversation, with three decimals.
 * @param {string} time
 * @param {string} opened
 */
export function after(time, opened) {
  return (Number(BigInt(time) - BigInt(opened)) / 1e9).toFixed(3);
}

/** What stands for a severity: a shape and a word. */
export const severities = /** @type {Record<string, {shape: string, word: string}>} */ ({
  violation: { shape: "▲", word: "violation" },
  warning: { shape: "◆", word: "warning" },
  note: { shape: "●", word: "note" },
});

/** @param {0 | 1 | null | undefined} side */
export function sender(side) {
  return side === 0 ? "client →" : side === 1 ? "← server" : "";
}

/**
 * Control characters and marks of direction, as a visible sign each.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
