import type { SecretPair } from "../secret.ts";
import { openEndpointSecret } from "./endpoint-secret.ts";

/** `sealed`: newest first. The newest one must open; an earlier one only helps a receiver that does not have the newest yet. */
export function openSigningSecrets(contentKeys: SecretPair, endpointId: string, sealed: readonly Buffer[]): Buffer[] {
  const [newest, ...earlier] = sealed.map((each) => () => openEndpointSecret(contentKeys, endpointId, each));
  return [newest?.(), ...earlier.map(ifItOpens)].filter((secret) => secret !== undefined);
}

function ifItOpens(open: () => Buffer): Buffer | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
