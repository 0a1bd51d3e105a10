import type { Account, Mode } from "./account.ts";

const maxPages = 10;

// biome-ignore lint/suspicious/noExplicitAny: an entry of an untrusted response
type Entry = any;

/** The newest 1,000 entries of a list. The entries of this run are among them. */
export async function listAll(
  account: Account,
  path: "/api/v1/suppression" | "/api/v1/events",
  query: Record<string, string> = {},
  mode: Mode = "test",
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const { body } = await account.asUser("GET", path, { query: { mode, limit: 100, page, ...query } });
    const found: Entry[] = (path === "/api/v1/events" ? body?.data?.events : body?.data) ?? [];
    entries.push(...found);
    if (found.length < 100) break;
  }
  return entries;
}

export async function eventsOf(account: Account, sendId: string, mode: Mode = "test"): Promise<Entry[]> {
  return (await listAll(account, "/api/v1/events", {}, mode)).filter((event) => event.email_id === sendId);
}
