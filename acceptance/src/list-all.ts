import type { Account } from "./account.ts";
import type { Answer } from "./client.ts";

const maxPages = 10;

// biome-ignore lint/suspicious/noExplicitAny: an entry of an untrusted response
type Entry = any;
export type ListPath = "/api/v1/suppression" | "/api/v1/events";

/** One page, although the two lists nest their entries differently. */
export async function readPage(
  account: Account,
  path: ListPath,
  query: Record<string, string | number> = {},
): Promise<{ entries: Entry[]; pagination: Answer["body"] }> {
  const { body } = await account.asUser("GET", path, { query });
  const [entries, pagination] =
    path === "/api/v1/events" ? [body?.data?.events, body?.data?.pagination] : [body?.data, body?.pagination];
  return { entries: Array.isArray(entries) ? entries : [], pagination };
}

/** The newest 1,000 entries of a list, of both modes. The entries of this run are among them. */
export async function listAll(account: Account, path: ListPath): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const found = (await readPage(account, path, { limit: 100, page })).entries;
    entries.push(...found);
    if (found.length < 100) break;
  }
  return entries;
}

export async function eventsOf(account: Account, sendId: string): Promise<Entry[]> {
  return (await listAll(account, "/api/v1/events")).filter((event) => event.email_id === sendId);
}
