import type { DurableMap } from "../disk/durable-maps.ts";
import type { SuppressionReason } from "./configuration-set.ts";

export interface SuppressedDestination {
  address: string;
  reason: SuppressionReason;
  updatedAt: number;
  messageId?: string;
  feedbackId?: string;
}

type SuppressionList = DurableMap<SuppressedDestination>;

export function suppress(list: SuppressionList, destination: SuppressedDestination): void {
  list.set(keyOf(destination.address), destination);
}

export function unsuppress(list: SuppressionList, address: string): boolean {
  return list.delete(keyOf(address));
}

export function findSuppressed(list: SuppressionList, address: string): SuppressedDestination | undefined {
  return list.get(keyOf(address));
}

function keyOf(address: string): string {
  return address.toLowerCase();
}
