import { setTimeout as sleep } from "node:timers/promises";
import { type SendingClient, senderDomain, type TestSender } from "../sends/sending-client.ts";

export interface AccountReads {
  reads: number;
  /** Reads that showed a send of another account. */
  foreign: number;
}

/** Accounts list their own sends, several at a time, until stopped. */
export async function readAsAccounts(
  { client, urls, senders }: { client: SendingClient; urls: string[]; senders: TestSender[] },
  stopped: AbortSignal,
): Promise<AccountReads> {
  const found: AccountReads = { reads: 0, foreign: 0 };
  const lane = async (first: number) => {
    for (let number = first; !stopped.aborted; number += 4) {
      const account = number % senders.length;
      const url = urls[number % urls.length] ?? "";
      const isForeign = await showsForeign({ client, url, sender: senders[account] as TestSender, account });
      if (isForeign !== undefined) found.reads += 1;
      if (isForeign) found.foreign += 1;
      await sleep(20);
    }
  };
  await Promise.all([0, 1, 2, 3].map(lane));
  return found;
}

/** Whether the list of this sender has a send from another domain than that of the account; undefined without an answer. */
export async function showsForeign(read: {
  client: SendingClient;
  url: string;
  sender: TestSender;
  account: number;
}): Promise<boolean | undefined> {
  const answer = await read.client.get(`${read.url}/api/v1/sends?limit=20`, read.sender).catch(() => undefined);
  if (answer?.status !== 200) return undefined;
  const domains = Array.from(JSON.stringify(answer.body).matchAll(/orders@([\w.-]+)/g), ([, domain]) => domain);
  return domains.some((domain) => domain !== senderDomain(read.account));
}
