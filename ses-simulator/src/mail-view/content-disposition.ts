/**
 * A Content-Disposition value, for MIME (RFC 2231) and for HTTP (RFC 6266). Any file name is safe in it: a name that is not plain
 * ASCII is percent-encoded, with a plain name for clients that cannot read it.
 */
export function contentDisposition(kind: "attachment" | "inline", fileName: string): string {
  const plain = fileName.replace(/[^\w .()+,-]/g, "_");
  if (plain === fileName) return `${kind}; filename="${fileName}"`;
  return `${kind}; filename="${plain}"; filename*=UTF-8''${percentEncode(fileName)}`;
}

/** A file name from JSON can contain half of a surrogate pair, which has no encoding. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
