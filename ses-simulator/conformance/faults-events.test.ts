import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { afterEach, describe, expect, test } from "vitest";
import { aFeedbackPath, aMail } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator({ maxSendRate: 10_000 });
const addRule = (rule: object) => running.control("POST", "rules", rule);

async function eventsWith(options: object, count: number, changes: object = {}) {
  const path = await aFeedbackPath(running);
  await addRule({ times: 1, events: options });
  await running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName: path.setName, ...changes })));
  const events = await path.next(count);
  return { path, events, types: events.map((event) => event.eventType) };
}

const randomCopies = async () => {
  await running.control("DELETE", "rules");
  await addRule({ seed: 3, events: { copies: "random" } });
  const ids = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async () => (await running.ses.send(new SendEmailCommand(aMail()))).MessageId),
  );
  const records = await Promise.all(ids.map((id) => running.control("GET", `ledger/${id}`)));
  return records
    .flatMap(({ body }) => body.events.map(({ copies }: { copies: number }) => copies))
    .toSorted((a, b) => a - b);
};

afterEach(async () => {
  await running.control("DELETE", "rules");
});

describe("events changed by a rule", () => {
  test("sendBeforeAnswer publishes the Send event before the caller gets its answer", async () => {
    const path = await aFeedbackPath(running);
    await addRule({ times: 1, events: { sendBeforeAnswer: true } });
    const order: string[] = [];
    const answer = running.ses
      .send(new SendEmailCommand(aMail({ ConfigurationSetName: path.setName })))
      .then(() => order.push("answer"));
    const event = path.next(1).then(([{ eventType }]) => order.push(eventType));
    await Promise.all([answer, event]);
    expect(order).toEqual(["Send", "answer"]);
  });

  test("deliveryBeforeSend publishes Delivery before Send", async () => {
    expect((await eventsWith({ deliveryBeforeSend: true }, 2)).types).toEqual(["Delivery", "Send"]);
  });

  test("copies of 8 publishes every event eight times", async () => {
    const { types } = await eventsWith({ copies: 8 }, 16);
    expect(types.filter((type) => type === "Send")).toHaveLength(8);
    expect(types.filter((type) => type === "Delivery")).toHaveLength(8);
  });

  test("random copies are 0 to 8 per event, and the same seed gives the same numbers", async () => {
    const first = await randomCopies();
    expect(new Set(first).size).toBeGreaterThan(2);
    expect(first.every((copies) => copies >= 0 && copies <= 8)).toBe(true);
    expect(await randomCopies()).toEqual(first);
  });

  test("SES never publishes an event with 0 copies or of a lost type", async () => {
    expect((await eventsWith({ lost: ["Send"] }, 1)).types).toEqual(["Delivery"]);
    const { path } = await eventsWith({ copies: 0 }, 0);
    await running.ses.send(
      new SendEmailCommand(aMail({ ConfigurationSetName: path.setName, EmailTags: [{ Name: "n", Value: "2" }] })),
    );
    const next = await path.next(2);
    expect(next.every((event) => event.mail.tags.n?.[0] === "2")).toBe(true);
  });

  test("delaySeconds delays the events", async () => {
    const started = performance.now();
    await eventsWith({ delaySeconds: 0.6 }, 2);
    expect(performance.now() - started).toBeGreaterThan(600);
  });

  const Destination = { ToAddresses: ["a@one.test", "b@one.test", "c@two.test"] };
  const groupings = [
    ["together", [["a@one.test", "b@one.test", "c@two.test"]]],
    ["by-domain", [["a@one.test", "b@one.test"], ["c@two.test"]]],
    ["one-by-one", [["a@one.test"], ["b@one.test"], ["c@two.test"]]],
  ] as const;

  test.each(groupings)("SES groups the recipients of an event %s", async (recipients, groups) => {
    const { events } = await eventsWith({ recipients }, groups.length + 1, { Destination });
    const deliveries = events
      .filter((event) => event.eventType === "Delivery")
      .map((event) => event.delivery.recipients);
    expect(new Set(deliveries.map(String))).toEqual(new Set(groups.map(String)));
  });
});
