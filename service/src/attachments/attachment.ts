/** An attachment of a request, decoded. */
export interface Attachment extends AttachmentFacts {
  bytes: Buffer;
}

/** What the content of a send says about an attachment. The bytes are stored in chunks. */
export interface AttachmentFacts {
  filename: string;
  contentType: string;
  /** Without angle brackets. With it the attachment is shown inside of the HTML. */
  contentId: string | undefined;
  size: number;
  /** Of the bytes, as hexadecimal digits. */
  sha256: string;
}

export const chunkBytes = 256 * 1024;

/** An empty file has one empty chunk, so that each attachment has a first one. */
export function countChunks({ size }: Pick<AttachmentFacts, "size">): number {
  return Math.max(1, Math.ceil(size / chunkBytes));
}

export function factsOf({ filename, contentType, contentId, size, sha256 }: AttachmentFacts): AttachmentFacts {
  return { filename, contentType, contentId, size, sha256 };
}
