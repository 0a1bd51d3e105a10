import type { Usage } from "../../api/api-types.ts";

/** Sends of each key, by its id. A key without sends is absent. */
export function sendsByKey(usage: readonly Usage[]): Map<string, number> {
  const sends = new Map<string, number>();
  for (const { api_key_id: id, accepted_sends } of usage) {
    if (id !== undefined) sends.set(id, (sends.get(id) ?? 0) + accepted_sends);
  }
  return sends;
}

/** The last midnight in the zone of the browser, as the start of "today". The API counts whole hours. */
export function startOfToday(now: Date): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
}
