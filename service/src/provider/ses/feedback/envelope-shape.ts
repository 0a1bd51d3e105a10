/** An SNS message is a flat object with about ten members, of which `MessageAttributes` alone contains objects. */
const maxDepth = 3;
const maxValues = 200;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Whether this text can be an SNS message, without parsing it. Parsing half a megabyte of nested lists takes 50 ms, during which the
 * process answers nobody; this takes about one millisecond.
 */
export function isEnvelopeShape(text: string): boolean {
  if (!/^\s{0,100}\{/.test(text)) return false;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at + 1);
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) depth -= 1;
    else if (code === comma) values += 1;
    if (depth > maxDepth || values > maxValues) return false;
  }
  return true;
}

/** Returns the position of the closing quote, or the end of a text without one. */
function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}
