/** `decorate` adds colours for a terminal. */
export function say(text: string, decorate: (text: string) => string = (plain) => plain): void {
  write(`${decorate(printable(text))}\n`);
}

/** Writes text that no user has influenced, or that is already printable. */
export function write(text: string): void {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", ignoreClosedPipe);
  process.stdout.write(text);
}

/** `postern status | head -1`: the program after the pipe has read enough. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/** Replaces control characters other than line breaks, and marks that change the direction of text: users must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}");
}

/** In at most two units: "34 s", "12 min", "5 h 12 min", "3 days". */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 10) return `${minutes} min ${whole % 60} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** A count that reached its limit gets a plus: "100,000+". */
export function countText(count: number, atMost = Number.POSITIVE_INFINITY): string {
  return `${count.toLocaleString("en")}${count >= atMost ? "+" : ""}`;
}

/** "41 MB", "1.4 GB", "812 GB": decimal units, as disks are sold. */
export function gigabyteText(bytes: number): string {
  if (bytes < 999_500_000) return `${countText(Math.round(bytes / 1e6))} MB`;
  const gigabytes = bytes / 1e9;
  return `${countText(gigabytes < 100 ? Math.round(gigabytes * 10) / 10 : Math.round(gigabytes))} GB`;
}

/** "1 send", "2 sends". */
export function amountText(count: number, what: string): string {
  return `${countText(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** Pads every column but the last to its widest cell. The columns in `right` are right-aligned. */
export function aligned(rows: string[][], { indent = "", right = [] as number[] } = {}): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const padded = (cell: string, column: number) =>
    right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => `${indent}${row.map(padded).join("  ")}`.trimEnd()).join("\n");
}

/** To the second and in UTC, for comparison with a log. */
export function timeText(iso: string): string {
  return `${iso.slice(0, 19).replace("T", " ")} UTC`;
}
