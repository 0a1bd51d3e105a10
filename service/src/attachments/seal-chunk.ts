import { openBytes, sealBytes } from "../crypto/sealed-bytes.ts";
import type { Secret, SecretPair } from "../secret.ts";

/** Which bytes of which mail a chunk has. All of it is authenticated, so no chunk can be moved, swapped or left out. */
export interface ChunkPlace {
  accountId: string;
  sendId: string;
  /** The position of the attachment in its mail, from 0. */
  part: number;
  /** The position of the chunk in its attachment, from 0. */
  number: number;
  /** How many chunks the attachment has. */
  count: number;
}

export function sealChunk(key: Secret, place: ChunkPlace, bytes: Buffer): Buffer {
  return sealBytes(key, bindingOf(place), bytes);
}

export function openChunk(keys: SecretPair, place: ChunkPlace, sealed: Buffer): Buffer {
  return openBytes(keys, bindingOf(place), sealed);
}

/** The key changes with the time of the send, as that of contents does (sends/content.ts). */
function bindingOf({ accountId, sendId, part, number, count }: ChunkPlace) {
  return {
    purpose: `attachment ${sendId.slice(0, 6)}`,
    owner: `${accountId}/${sendId}/${part}/${number}/${count}`,
  };
}
