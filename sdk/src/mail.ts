import type { BatchRequest, SendRequest } from "./api-types.ts";

type WireAttachment = NonNullable<SendRequest["attachments"]>[number];

/** `content` is the file as bytes, which the client encodes, or base64 text. */
export type MailAttachment = Omit<WireAttachment, "content"> & { content: Uint8Array | string };

type WithBytes<Request> = Request extends unknown
  ? Omit<Request, "attachments"> & { attachments?: MailAttachment[] | null | undefined }
  : never;

/** A `SendRequest` whose attachments may be bytes. */
export type Mail = WithBytes<SendRequest>;

type Defaults = NonNullable<BatchRequest["defaults"]>;
type BatchMail = BatchRequest["mails"][number];

/** A `BatchRequest` whose attachments may be bytes, in the mails and in the defaults. */
export type Batch = Omit<BatchRequest, "defaults" | "mails"> & {
  defaults?: WithBytes<Defaults> | undefined;
  mails: WithBytes<BatchMail>[];
};

/** Encodes attachments that are bytes. */
export function toSendRequest(mail: Mail): SendRequest {
  return { ...mail, ...encodedAttachments(mail) };
}

/** The same for every mail of a batch. The defaults are encoded once. */
export function toBatchRequest({ defaults, mails, ...rest }: Batch): BatchRequest {
  return {
    ...rest,
    ...(defaults !== undefined && { defaults: { ...defaults, ...encodedAttachments(defaults) } }),
    mails: mails.map((mail) => ({ ...mail, ...encodedAttachments(mail) })),
  };
}

type Encoded = { attachments: WireAttachment[] | null | undefined };

function encodedAttachments({ attachments }: { attachments?: MailAttachment[] | null | undefined }): Encoded {
  if (attachments === undefined || attachments === null) return { attachments };
  return { attachments: attachments.map((each) => ({ ...each, content: toBase64(each.content) })) };
}

/** A multiple of 3, so that the parts can be joined, and few enough for the arguments of a call. */
const partBytes = 3 * 8192;

function toBase64(content: Uint8Array | string): string {
  if (typeof content === "string") return content;
  let text = "";
  for (let start = 0; start < content.length; start += partBytes) {
    text += btoa(String.fromCharCode(...content.subarray(start, start + partBytes)));
  }
  return text;
}
