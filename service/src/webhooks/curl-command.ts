interface PostedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * A command for a POSIX shell that makes this request and prints the answer. Pasting it must run nothing else and show what it does, whatever
 * the body holds, so text that a terminal would not print as it is becomes octal escapes of `printf`.
 */
export function curlCommand({ url, headers, body }: PostedRequest): string {
  const isPlain = !unprintable.test(body);
  const lines = [
    `${isPlain ? "" : `printf ${quoted(formatOf(body))} | `}curl --include --globoff ${quoted(new URL(url).href)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    // curl adds these on its own; Postern does not send them.
    "-H 'Accept:' -H 'Expect:'",
    isPlain ? `--data-raw ${quoted(body)}` : "--data-binary @-",
  ];
  return lines.join(" \\\n  ");
}

/** Control characters, line breaks, and characters that reorder or hide text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u;

/** Nothing has a meaning between single quotes, except the quote that ends them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A format of `printf` that prints these bytes. */
function formatOf(text: string): string {
  return Array.from(text, (character) => {
    if (character === "%") return "%%";
    if (character === "\\") return "\\\\";
    if (character === "'" || unprintable.test(character)) return Array.from(Buffer.from(character), octal).join("");
    return character;
  }).join("");
}

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, "0")}`;
}
