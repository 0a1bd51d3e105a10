import type { Database } from "../../service/src/db/database.ts";
import { rangesOfLists } from "../../service/src/db/list-counts.ts";
import { eventTypes } from "../../service/src/events/send-event.ts";
import { listSends } from "../../service/src/sends/list-sends.ts";
import { usageRetentionDays } from "../../service/src/usage/drop-old-usage.ts";
import { readUsage } from "../../service/src/usage/read-usage.ts";
import {
  accountIdOf,
  accountOfSend,
  type Dataset,
  firstSendAt,
  recipientsOfSend,
  sendIdOf,
  timeOfSend,
} from "./dataset.ts";
import { type Cost, costOf } from "./meter.ts";
import { openRepeats } from "./new-sends.ts";

const dayMs = 86_400_000;
/** A search looks into up to 1,200 parts of its index, so fewer of them are measured. */
const searchedOneIn = 10;

export type LookupCosts = Record<"repeat of a send" | "events total" | "usage of a day" | "search by recipient", Cost>;

/** What callers look up about stored sends, in tables and counters beside them. */
export async function costOfLookups(api: Database, dataset: Dataset, count: number): Promise<LookupCosts> {
  const each = (lookUp: (number: number) => Promise<void>, { fromNumber = 0, times = count } = {}) =>
    costOf(api, times, async () => {
      for (let done = 0; done < times; done++) {
        await lookUp(fromNumber + Math.floor(Math.random() * (dataset.sends - fromNumber)));
      }
    });
  const ofAccount = (number: number) => api.forAccount(accountIdOf(accountOfSend(dataset, number)));
  const repeat = await openRepeats(api, dataset);
  const firstWithUsage = firstSendAt(dataset, Date.now() - (usageRetentionDays - 2) * dayMs);
  return {
    "repeat of a send": await each(repeat),
    "events total": await each(async (number) => {
      const account = ofAccount(number);
      // The part of the statement for a page that counts.
      const [row] = await account.query<{ total: number }>({
        name: "total-of-events",
        text: `${rangesOfLists} select total from counted`,
        values: [account.accountId, ["live"], eventTypes, 0, 50],
        isPlannedOnce: true,
      });
      if ((row?.total ?? 0) < 100) throw new Error(`an account had ${row?.total} events`);
    }),
    "usage of a day": await each(
      async (number) => {
        const from = Math.floor(timeOfSend(dataset, number) / dayMs) * dayMs;
        const [day] = await readUsage(ofAccount(number), {
          modes: ["live"],
          from: new Date(from).toISOString(),
          to: new Date(from + dayMs).toISOString(),
          by: "day",
          isByDomain: false,
          maxEntries: 2,
        });
        if (day === undefined) throw new Error("an account had no usage on the day of a send");
      },
      { fromNumber: firstWithUsage },
    ),
    "search by recipient": await each(
      async (number) => {
        const { sends } = await listSends(ofAccount(number), ["live"], {
          ...anyone,
          recipient: recipientsOfSend(number)[0],
        });
        if (!sends.some(({ id }) => id === sendIdOf(dataset, number)))
          throw new Error("a send was not found by its recipient");
      },
      { times: Math.ceil(count / searchedOneIn) },
    ),
  };
}

const anyone = {
  status: undefined,
  fromDomains: undefined,
  providerMessageId: undefined,
  apiKeyId: undefined,
  before: undefined,
  since: undefined,
  until: undefined,
  limit: 50,
};
