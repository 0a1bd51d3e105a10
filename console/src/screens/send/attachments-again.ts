import type { SendContent, SendRequest } from "../../api/api-types.ts";
import { download } from "../../api/download.ts";

type Given = NonNullable<SendRequest["attachments"]>;

/** The attachments of the first send, downloaded one after the other: the content has their names only. */
export async function attachmentsAgain(content: SendContent): Promise<{ attachments?: Given }> {
  if (content.attachments === undefined) return {};
  const attachments: Given = [];
  for (const { filename, content_type, content_id, url } of content.attachments) {
    const file = await toBase64(await download(url, {}));
    attachments.push({ filename, content_type, ...(content_id !== null && { content_id }), content: file });
  }
  return { attachments };
}

/** The API allows 5 s for each MiB beside 30 s. Base64 makes four bytes out of three. */
export function uploadDeadlineMs({ attachments = [] }: SendContent): number {
  const bytes = attachments.reduce((sum, { size }) => sum + size, 0);
  return 20_000 + Math.ceil(((bytes / 3) * 4) / (1024 * 1024)) * 5000;
}

function toBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const address = typeof reader.result === "string" ? reader.result : "";
      resolve(address.slice(address.indexOf(",") + 1));
    });
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The browser could not read the file.")));
    reader.readAsDataURL(file);
  });
}
