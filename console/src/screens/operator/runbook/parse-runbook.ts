/** The parts of Markdown that docs/runbook.md uses. */
export type Block =
  | { kind: "heading"; level: 1 | 2; id: string; text: string }
  | { kind: "paragraph"; text: string }
  | { kind: "code"; text: string }
  | { kind: "list"; ordered: boolean; items: string[] }
  | { kind: "table"; head: string[]; rows: string[][] };

/** As links to a heading write it: "A leaked API key" is `a-leaked-api-key`. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}

export function parseRunbook(text: string): Block[] {
  return splitBlocks(text.split("\n")).map(parseBlock);
}

/** Blank lines separate blocks, except inside code. */
function splitBlocks(lines: string[]): string[][] {
  const blocks: string[][] = [];
  let current: string[] = [];
  let isCode = false;
  for (const line of lines) {
    if (line.startsWith("```")) isCode = !isCode;
    if (line.trim() === "" && !isCode) {
      if (current.length > 0) blocks.push(current);
      current = [];
    } else {
      current.push(line);
    }
  }
  if (current.length > 0) blocks.push(current);
  return blocks;
}

function parseBlock(lines: string[]): Block {
  const [first = ""] = lines;
  const heading = /^(#{1,2}) (.+)$/.exec(first);
  if (heading) {
    const text = heading[2] ?? "";
    return { kind: "heading", level: heading[1] === "#" ? 1 : 2, id: slugOf(text), text };
  }
  if (first.startsWith("```")) return { kind: "code", text: lines.slice(1, -1).join("\n") };
  if (first.startsWith("|")) {
    const [head = [], , ...rows] = lines.map(cellsOf);
    return { kind: "table", head, rows };
  }
  if (/^(\d+\.|-) /.test(first)) return { kind: "list", ordered: /^\d/.test(first), items: itemsOf(lines) };
  return { kind: "paragraph", text: lines.join(" ") };
}

function cellsOf(line: string): string[] {
  const cells = line.replaceAll("\\|", "\u0000").split("|").slice(1, -1);
  return cells.map((cell) => cell.trim().replaceAll("\u0000", "|"));
}

function itemsOf(lines: string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const item = /^(?:\d+\.|-) (.*)$/.exec(line);
    if (item) items.push(item[1] ?? "");
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  return items;
}

export type Inline =
  | { kind: "text" | "code" | "bold"; text: string }
  /** `href` is an anchor of the page; undefined for another document. */
  | { kind: "link"; text: string; href: string | undefined };

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g)) {
    if (match.index > end) parts.push({ kind: "text", text: text.slice(end, match.index) });
    end = match.index + match[0].length;
    const [, code, bold, label = "", target = ""] = match;
    if (code !== undefined) parts.push({ kind: "code", text: code });
    else if (bold !== undefined) parts.push({ kind: "bold", text: bold });
    else parts.push({ kind: "link", text: label, href: target.startsWith("#") ? target : undefined });
  }
  if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
  return parts;
}
