import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { EventType } from "../src/events/send-event.ts";
import { aLogin } from "./builders.ts";
import { anEvent } from "./event-builders.ts";
import { useTestApi } from "./use-test-api.ts";

export interface EventList {
  events: { id: string; email_id: string; event_type: EventType; recipient: string; mode: string }[];
  pagination: { page: number; limit: number; total: number; total_pages: number; next_before?: string | null };
}

/** The API and requests to GET /api/v1/events. */
export function useEventList() {
  const api = useTestApi();

  function aSession() {
    return aLogin(api.database.db, api.deps.loginDeps);
  }

  function events({ accessToken }: { accessToken: string }, query = "") {
    return api.call({ method: "GET", path: `/api/v1/events${query}`, token: accessToken });
  }

  async function listed(session: { accessToken: string }, query = ""): Promise<EventList> {
    const response = await events(session, query);
    expect(response.status).toBe(200);
    return response.json().data;
  }

  /** Inserts events one second apart and returns their ids, oldest first. */
  async function someEvents(accountId: string, count: number, type: EventType = "Delivery"): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const at = new Date(Date.UTC(2026, 10, 15) + n * 1000).toISOString();
      ids.push(await anEvent(api.database.db, { accountId, type, at }));
    }
    return ids;
  }

  return { api, aSession, events, listed, someEvents };
}

export function idsOf({ events: list }: EventList): string[] {
  return list.map(({ id }) => id);
}

/** The id of a send that is older than all events of these tests. */
export function anOldSendId(): string {
  return `019a0000-0000-7000-8000-${randomBytes(6).toString("hex")}`;
}
