import { expect, onTestFinished, test, vi } from "vitest";
import { anAnswer, aReceiver, isComplete } from "../../../test/webhook-receiver.ts";
import { createDestinationSlots } from "./destination-slots.ts";
import { openOutbound } from "./post-notification.ts";

/** A receiver that answers when the test says so, and an outbound that may connect to it. */
async function aSlowReceiver(timeoutMs: number) {
  const waiting: (() => void)[] = [];
  const receiver = await aReceiver((socket, received) => {
    if (isComplete(received)) waiting.push(() => socket.end(anAnswer(200)));
  });
  onTestFinished(receiver.close);
  const resolver = { findAddresses: async () => ({ kind: "records" as const, values: ["127.0.0.1"] }) };
  const outbound = openOutbound({ resolver, ports: "any", allowsHttp: true, timeoutMs });
  const post = (accountId: string, host = "a.test") =>
    outbound.post({
      accountId,
      url: `http://${host}:${receiver.port}/`,
      headers: {},
      body: accountId,
      allowedNetworks: ["127.0.0.1/32"],
    });
  const inFlight = () => receiver.received.filter(isComplete).length;
  return { post, waiting, inFlight, outbound };
}

test("20 requests are in flight to one address, of one account at most 16, and the rest is made when they end", async () => {
  const { post, waiting, inFlight, outbound } = await aSlowReceiver(15_000);
  const ofOne = Array.from({ length: 30 }, (_, index) => post("one", `host-${index}.test`));
  await expect.poll(inFlight).toBe(16);
  const ofOthers = [..."bcdefg"].map((account) => post(account));
  await expect.poll(inFlight).toBe(20);
  const timer = setInterval(() => waiting.shift()?.(), 2);
  onTestFinished(() => clearInterval(timer));
  const answers = await Promise.all([...ofOne, ...ofOthers]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await outbound.close();
});

test("a request that gets no slot says that it was not tried, within the deadline", async () => {
  const { post, inFlight } = await aSlowReceiver(2_400);
  const first = [..."abcdefghijklmnopqrst"].map((account) => post(account));
  await expect.poll(inFlight).toBe(20);
  const waited = await post("z");
  expect(waited).toMatchObject({
    status: undefined,
    isBusy: true,
    failure: expect.stringMatching(/^Postern sent nothing/),
  });
  for (const answer of await Promise.all(first)) expect(answer).not.toHaveProperty("isBusy");
  expect(inFlight()).toBe(20);
});

test("an address that stays busy refuses after the given time", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const slots = createDestinationSlots(5_000);
  const ends = Promise.withResolvers<void>();
  const running = [..."abcdefghijklmnopqrst"].map((account) => slots.run("1.1.1.1", account, () => ends.promise));
  const refused = expect(slots.run("1.1.1.1", "z", async () => "ran")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await slots.run("1.1.1.2", "z", async () => "ran")).toBe("ran");
  await vi.advanceTimersByTimeAsync(5_000);
  await refused;
  ends.resolve();
  await Promise.all(running);
});
