/**
 * The header of a download (RFC 6266). Any file name is safe in it: one that is not plain ASCII is percent-encoded, beside a plain one for
 * clients that cannot read it.
 */
export function attachmentDisposition(fileName: string): string {
  const plain = fileName.replaceAll(/[^\w .()+,-]/g, "_");
  const encoded = plain === fileName ? "" : `; filename*=UTF-8''${percentEncode(fileName)}`;
  return `attachment; filename="${plain}"${encoded}`;
}

function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
