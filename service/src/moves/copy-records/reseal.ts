import { type ChunkPlace, openChunk, sealChunk } from "../../attachments/seal-chunk.ts";
import { openBytes, sealBytes } from "../../crypto/sealed-bytes.ts";
import { contentBinding } from "../../sends/content.ts";
import type { MoveKeys } from "./copy-deps.ts";

/** The content of a send, sealed for the target. It keeps its format, which says which releases can read it. */
export function resealContent(
  keys: Pick<MoveKeys, "source" | "target">,
  accountId: string,
  sendId: string,
  sealed: Buffer,
): Buffer {
  const binding = contentBinding({ accountId, sendId });
  return sealBytes(keys.target.current, binding, openBytes(keys.source, binding, sealed), sealed[0] === 2 ? 2 : 1);
}

export function resealChunk(keys: MoveKeys, place: ChunkPlace, sealed: Buffer): Buffer {
  return sealChunk(keys.target.current, place, openChunk(keys.source, place, sealed));
}
