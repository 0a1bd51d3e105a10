interface DisplayedMailbox {
  name: string | undefined;
  address: string;
}

/** What a mail program displays for a mailbox in a header, by RFC 5322 and 2047. Undefined when the text is ambiguous. */
export function readEncodedMailbox(text: string): DisplayedMailbox | undefined {
  const bracket = text.lastIndexOf(" <");
  if (bracket === -1) return { name: undefined, address: text };
  const name = readName(text.slice(0, bracket));
  return name === undefined || !text.endsWith(">") ? undefined : { name, address: text.slice(bracket + 2, -1) };
}

function readName(phrase: string): string | undefined {
  if (phrase.startsWith('"')) return readQuoted(phrase);
  const words = phrase.split(" ").map(readWord);
  if (words.includes(undefined))
    return /^[\w!#$%&'*+/=?^`{|}~ -]+$/.test(phrase) && !phrase.includes("=?") ? phrase : undefined;
  return words.join("");
}

function readQuoted(phrase: string): string | undefined {
  let name = "";
  for (let at = 1; at < phrase.length; at++) {
    if (phrase[at] === '"') return at === phrase.length - 1 && !name.includes("=?") ? name : undefined;
    if (phrase[at] === "\\") at++;
    name += phrase[at] ?? "";
  }
  return undefined;
}

/** Decodes each encoded word separately and strictly: a word must not end inside a character. */
function readWord(word: string): string | undefined {
  const [, charset, encoding, data] = /^=\?([^?]+)\?([^?]+)\?([A-Za-z0-9+/=]+)\?=$/.exec(word) ?? [];
  if (word.length > 75 || charset?.toLowerCase() !== "utf-8" || encoding?.toLowerCase() !== "b" || data === undefined)
    return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(data, "base64"));
  } catch {
    return undefined;
  }
}
