import { parseMime } from "./parse-mime.ts";
import { asSent, type StoredContent } from "./stored-content.ts";

export interface ReadableMail {
  text?: string;
  html?: string;
  attachments: { name: string; type: string; sizeBytes: number }[];
}

/** What a person reads of a mail. */
export function readableMail(content: string): ReadableMail {
  const { Simple, Raw }: StoredContent = JSON.parse(content);
  if (Raw !== undefined) return parseMime(Buffer.from(Raw.Data, "base64").toString("latin1"));
  const { Text, Html } = Simple?.Body ?? {};
  return {
    ...(Text && { text: asSent(Text) }),
    ...(Html && { html: asSent(Html) }),
    attachments: (Simple?.Attachments ?? []).map(({ FileName, ContentType, RawContent }) => ({
      name: FileName,
      type: ContentType ?? "application/octet-stream",
      sizeBytes: Buffer.byteLength(RawContent, "base64"),
    })),
  };
}
