import { createSecretKey, randomBytes } from "node:crypto";
import { validateSend } from "../../service/src/accept/validate-send.ts";
import type { Database } from "../../service/src/db/database.ts";
import { listEvents } from "../../service/src/events/event-store.ts";
import type { Address } from "../../service/src/mail-address.ts";
import { findSend } from "../../service/src/sends/send-store.ts";
import { listSuppressions } from "../../service/src/suppressions/suppression-store.ts";
import { accountIdOf, accountOfSend, type Dataset, domainOf, sendIdOf, suppressedAddressOf } from "./dataset.ts";
import { type Cost, costOf } from "./meter.ts";

const pageSize = 50;
const fingerprintKey = createSecretKey(randomBytes(32));

export type QueryCosts = Record<"status" | "events page" | "suppression check" | "suppression page", Cost>;

/** The queries of callers about random stored sends, each by the function that its route uses. */
export async function costOfQueries(api: Database, dataset: Dataset, count: number): Promise<QueryCosts> {
  const each = (query: (number: number) => Promise<void>) =>
    costOf(api, count, async () => {
      for (let done = 0; done < count; done++) await query(Math.floor(Math.random() * dataset.sends));
    });
  const ofAccount = (number: number) => api.forAccount(accountIdOf(accountOfSend(dataset, number)));
  return {
    status: await each(async (number) => {
      const send = await findSend(ofAccount(number), { modes: ["live"], domain: undefined }, sendIdOf(dataset, number));
      if (send === undefined) throw new Error("a stored send was not found");
    }),
    "events page": await each(async (number) => {
      const { events } = await listEvents(ofAccount(number), ["live"], { type: undefined, limit: pageSize, offset: 0 });
      if (events.length < pageSize) throw new Error(`a page had ${events.length} events`);
    }),
    "suppression check": await each(async (number) => {
      const { payload } = await validateSend(
        { db: ofAccount(number), fingerprintKey },
        "live",
        requestOf(dataset, number),
      );
      const listed = payload?.recipients.filter(({ suppression }) => suppression !== undefined).length;
      if (listed !== 1) throw new Error(`${listed} of two recipients were suppressed instead of one`);
    }),
    "suppression page": await each(async (number) => {
      const { total } = await listSuppressions(ofAccount(number), ["live"], { limit: pageSize, offset: 0 });
      if (total === 0) throw new Error("an account had no suppressions");
    }),
  };
}

/** A send to one suppressed recipient and one other. */
function requestOf(dataset: Dataset, number: number): NonNullable<Parameters<typeof validateSend>[2]> {
  const account = accountOfSend(dataset, number);
  const [listed, free] = [suppressedAddressOf(account, number % 20), `jane.${number}@example.com`];
  const from = address(`orders@${domainOf(account)}`);
  return {
    from: { name: undefined, address: from, given: from.given },
    to: [address(listed), address(free)],
    cc: [],
    bcc: [],
    replyTo: undefined,
    subject: "Hello",
    html: undefined,
    text: "Hi",
    idempotencyKey: `order-${number}`,
    given: {
      from: from.given,
      to: [listed, free],
      subject: "Hello",
      html: undefined,
      text: "Hi",
      cc: [],
      bcc: [],
      reply_to: undefined,
    },
  };
}

function address(given: string): Address {
  return { given, ascii: given, key: given, domain: given.slice(given.indexOf("@") + 1) };
}
