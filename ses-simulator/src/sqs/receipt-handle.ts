import { SqsError } from "./sqs-error.ts";

/** The handle encodes the message and the receive count, so that it stays valid after a restart of the simulator. */
export function receiptHandle(messageId: string, receiveCount: number): string {
  return Buffer.from(`receipt:${messageId}:${receiveCount}`).toString("base64");
}

export function readReceiptHandle(handle: unknown): { messageId: string; receiveCount: number } {
  const text = typeof handle === "string" ? Buffer.from(handle, "base64").toString() : "";
  const [, messageId, receiveCount] = /^receipt:([0-9a-f-]{36}):(\d+)$/.exec(text) ?? [];
  if (messageId === undefined) {
    throw new SqsError(
      "ReceiptHandleIsInvalid",
      `The input receipt handle "${String(handle)}" is not a valid receipt handle.`,
    );
  }
  return { messageId, receiveCount: Number(receiveCount) };
}
