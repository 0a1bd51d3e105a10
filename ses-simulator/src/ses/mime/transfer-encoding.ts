const lineLength = 76;

/** The bytes as base64 in lines of 76 characters. */
export function base64Lines(bytes: Buffer): string {
  const lines: string[] = [];
  // 57 bytes are 76 characters of base64.
  for (let start = 0; start < bytes.length; start += 57) lines.push(bytes.toString("base64", start, start + 57));
  return lines.join("\r\n");
}

export function base64Length(byteCount: number): number {
  const characters = Math.ceil(byteCount / 3) * 4;
  return characters + Math.ceil(characters / lineLength) * 2;
}

/** Text keeps its line breaks, as CRLF. Lines have at most 76 characters; ASCII stays readable. */
export function quotedPrintableText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => quotedPrintable(Buffer.from(line)))
    .join("\r\n");
}

/** Encodes line breaks too, so that the bytes arrive unchanged. */
export function quotedPrintable(bytes: Buffer): string {
  const rows = [""];
  for (const byte of bytes) {
    const encoded = encodeByte(byte);
    const row = rows.at(-1) ?? "";
    if (row.length + encoded.length >= lineLength) rows.push(encoded);
    else rows[rows.length - 1] = row + encoded;
  }
  return rows.join("=\r\n").replace(/ $/, "=20");
}

/** An upper bound: it counts a line break as encoded. */
export function quotedPrintableLength(bytes: Buffer): number {
  let characters = 0;
  for (const byte of bytes) characters += isLiteral(byte) ? 1 : 3;
  return characters + Math.ceil(characters / (lineLength - 4)) * 3;
}

function encodeByte(byte: number): string {
  return isLiteral(byte) ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

function isLiteral(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== 0x3d;
}
