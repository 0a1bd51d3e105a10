import type { Page } from "playwright-core";
import { aBouncedNumber, type NumberedAccount, sendOf } from "./numbered-account.ts";

const maxWaitMs = 120_000;

export interface Visit {
  path: string;
  /** The person also opens the next page of the list. */
  hasNextPage?: boolean;
  /** What the screen must say about this account, however large it is. */
  says?: RegExp;
}

/** Every screen, and the searches and filters that read most. `number` chooses the send, the address and the day. */
export function visits(account: NumberedAccount, number: number, domainId: number): Visit[] {
  const send = sendOf(number, account);
  const bounced = sendOf(aBouncedNumber(number), account);
  const day = 86_400_000;
  const since = new Date(account.newestMs - 61 * day).toISOString();
  const until = new Date(account.newestMs - 60 * day).toISOString();
  const to = (address: string) => encodeURIComponent(address);
  return [
    { path: "/" },
    { path: "/?range=7d" },
    { path: "/?range=30d" },
    { path: "/?mode=test" },
    { path: "/activity", hasNextPage: true },
    { path: "/activity?mode=test" },
    { path: "/activity?status=bounced", hasNextPage: true },
    { path: "/activity?status=failed" },
    { path: `/activity?since=${since}&until=${until}`, hasNextPage: true },
    { path: `/activity?recipient=${to(send.recipient)}` },
    { path: `/activity?recipient=${to(bounced.recipient)}`, says: /550 5\.1\.1 user unknown/ },
    { path: `/activity?recipient=${to(`nobody-${number}@example.test`)}` },
    { path: `/activity?provider_message_id=${send.providerMessageId}` },
    { path: `/activity?domain=${account.domains[1]}` },
    { path: `/sends/${send.id}` },
    { path: `/sends/${bounced.id}`, says: /550 5\.1\.1 user unknown/ },
    { path: "/domains" },
    { path: `/domains/${domainId}` },
    { path: "/suppressions", hasNextPage: true },
    { path: `/suppressions?email=${to(bounced.recipient)}` },
    { path: "/keys" },
    { path: "/webhooks" },
    { path: "/usage" },
    { path: "/usage?range=30d" },
    { path: "/team" },
    { path: "/audit" },
    { path: "/profile" },
  ];
}

/** Until the screen has asked for nothing for half a second. Returns whether it says what it must. */
export async function visit(page: Page, { path, hasNextPage = false, says }: Visit): Promise<boolean> {
  await page.goto(path, { timeout: maxWaitMs, waitUntil: "networkidle" });
  const isRight = says === undefined || says.test((await page.locator("main").textContent()) ?? "");
  if (!hasNextPage) return isRight;
  await page.getByRole("button", { name: "Next page" }).click();
  await page.waitForTimeout(100);
  await page.waitForLoadState("networkidle", { timeout: maxWaitMs });
  return isRight;
}
