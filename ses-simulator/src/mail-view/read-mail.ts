import { parseMime, type ReadableMail } from "./parse-mime.ts";
import { decodeText, type StoredContent } from "./stored-content.ts";

/** The parts of a stored mail that the mail view shows. */
export function readMail(content: string): ReadableMail {
  const { Simple, Raw }: StoredContent = JSON.parse(content);
  if (Raw !== undefined) return parseMime(Buffer.from(Raw.Data, "base64").toString("latin1"));
  const { Text, Html } = Simple?.Body ?? {};
  return {
    ...(Text && { text: decodeText(Text) }),
    ...(Html && { html: decodeText(Html) }),
    attachments: (Simple?.Attachments ?? []).map(({ FileName, ContentType, RawContent }) => ({
      name: FileName,
      type: ContentType ?? "application/octet-stream",
      sizeBytes: Buffer.byteLength(RawContent, "base64"),
    })),
  };
}
