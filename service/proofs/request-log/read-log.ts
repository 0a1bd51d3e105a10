import type { Database } from "../../src/db/database.ts";
import type { TestApi } from "../../test/with-test-apis.ts";
import type { MarkedAccount } from "./marked-account.ts";

/** All rows of the log as text, and all answers of `GET /requests` to this account. */
export async function readLog(db: Database, api: TestApi, accounts: MarkedAccount[]): Promise<string[]> {
  const rows = await db.query<{ text: string }>({
    name: "all-of-the-log",
    text: `
      select t::text as text from logged_requests t
      union all
      select t::text from logged_request_hours t`,
  });
  const texts = rows.map(({ text }) => text);
  for (const { token } of accounts) {
    for (let query = "?limit=100"; query !== ""; ) {
      const { body } = await api.app.inject({ method: "GET", url: `/api/v1/requests${query}`, headers: token });
      const { data } = JSON.parse(body);
      if (data === undefined) throw new Error(`the list was answered with ${body}`);
      texts.push(body);
      query = data.pagination.next_before === null ? "" : `?limit=100&before=${data.pagination.next_before}`;
    }
  }
  return texts;
}
