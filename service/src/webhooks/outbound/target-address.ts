import { addressBytes, isInNetwork, type Network, parseNetwork } from "./address-bytes.ts";
import { specialRangeOf } from "./public-address.ts";

export interface TargetAddress {
  text: string;
  /** The operator allowed its network to the account. */
  isAllowed: boolean;
}

/** Networks that cannot be read allow nothing. */
export function networksOf(cidrs: readonly string[]): Network[] {
  return cidrs.map(parseNetwork).filter((network) => network !== undefined);
}

/** Whether the account may connect to this address; otherwise the range that forbids it. */
export function classifyTarget(text: string, allowed: readonly Network[]): TargetAddress | { range: string } {
  const bytes = addressBytes(text);
  if (bytes === undefined) return { range: "no address without a zone" };
  if (allowed.some((network) => isInNetwork(bytes, network))) return { text, isAllowed: true };
  const range = specialRangeOf(bytes);
  return range === undefined ? { text, isAllowed: false } : { range };
}

export const howToAllow = "The operator can allow it to this account with `postern admin webhook-networks`.";
