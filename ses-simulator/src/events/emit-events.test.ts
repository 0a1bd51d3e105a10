import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { expect, test } from "vitest";
import { type AnyEvent, aFeedbackPath, aMail } from "../../test/builders.ts";
import { useSimulator } from "../../test/use-simulator.ts";

const running = useSimulator();
const typesOf = (events: AnyEvent[]) => new Set(events.map((event) => event.eventType));

test("a kill between the ledger write and the event write loses no event", async () => {
  const path = await aFeedbackPath(running);
  const state = join(running.simulator.dataFolder, "state.ndjson");
  copyFileSync(state, `${state}.before`);
  const { MessageId } = await running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName: path.setName })));
  await running.stop();
  // The ledger holds the record; the state file is the one from before the send.
  writeFileSync(state, readFileSync(`${state}.before`));
  rmSync(`${state}.before`);
  await running.start();
  const events = await path.next(2);
  expect(typesOf(events)).toEqual(new Set(["Send", "Delivery"]));
  expect(events.every((event) => event.mail.messageId === MessageId)).toBe(true);
});

test("delayed events survive a restart, and SES publishes them once", async () => {
  const path = await aFeedbackPath(running);
  await running.control("POST", "rules", { times: 1, events: { delaySeconds: 0.5 } });
  await running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName: path.setName })));
  await running.restart();
  expect((await running.control("GET", "health")).body.pendingEvents).toBe(2);
  expect(typesOf(await path.next(2))).toEqual(new Set(["Send", "Delivery"]));
  await running.restart();
  expect((await running.control("GET", "health")).body.pendingEvents).toBe(0);
});

test("all copies of a bounce carry the same feedback id, and another bounce carries another id", async () => {
  const path = await aFeedbackPath(running);
  const Destination = { ToAddresses: ["bounce@simulator.amazonses.com", "suppressionlist@simulator.amazonses.com"] };
  await running.control("POST", "rules", { times: 1, events: { copies: 2 } });
  await running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName: path.setName, Destination })));
  const bounces = (await path.next(6)).filter((event) => event.eventType === "Bounce");
  expect(bounces).toHaveLength(4);
  expect(new Set(bounces.map((event) => event.bounce.feedbackId)).size).toBe(2);
});
