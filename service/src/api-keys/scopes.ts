/** What an API key may do. A key has its scopes from its creation on; they never change. */
export const keyScopes = ["send", "read", "suppressions", "domains", "webhooks"] as const;

export type KeyScope = (typeof keyScopes)[number];

/** What the published interface lets every key do: send, and read the status of a send. */
export const defaultScopes: readonly KeyScope[] = ["send"];

/** Notifications show what `read` shows, so a key with `webhooks` needs both. */
export function isComplete(scopes: readonly KeyScope[]): boolean {
  return !scopes.includes("webhooks") || scopes.includes("read");
}
