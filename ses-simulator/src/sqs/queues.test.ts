import { expect, test } from "vitest";
import { aFolder } from "../../test/a-folder.ts";
import { Clock } from "../clock.ts";
import { DurableMaps } from "../disk/durable-maps.ts";
import { GroupCommit } from "../disk/group-commit.ts";
import { maxInFlight, type Queue } from "./queue.ts";
import { Queues } from "./queues.ts";

class TestClock extends Clock {
  time = Date.parse("2026-11-15T00:00:00Z");

  override now(): number {
    return this.time;
  }
}

function aQueueWithClock(attributes: Record<string, string> = {}) {
  const clock = new TestClock();
  const maps = new DurableMaps(aFolder(), new GroupCommit());
  const queues = new Queues({ queues: maps.map("q"), messages: maps.map("m"), receipts: maps.map("r") }, clock);
  const queue: Queue = { name: "q", arn: "arn:aws:sqs:eu-west-1:000000000000:q", createdAt: clock.now(), attributes };
  queues.save(queue);
  return { clock, queues, queue };
}

test("SQS deletes a message after the retention period", () => {
  const { clock, queues, queue } = aQueueWithClock({ MessageRetentionPeriod: "60" });
  queues.add("q", "old");
  clock.time += 30_000;
  queues.add("q", "young");
  clock.time += 31_000;
  expect(queues.receive(queue, 10, 30).map(({ message }) => message.body)).toEqual(["young"]);
  expect(queues.counts("q")).toEqual({ ready: 0, inFlight: 1 });
});

test("SQS answers OverLimit to a receive while 120,000 messages are in flight", () => {
  const { clock, queues, queue } = aQueueWithClock();
  for (let number = 0; number <= maxInFlight; number++) queues.add("q", "x");
  expect(queues.receive(queue, maxInFlight, 30)).toHaveLength(maxInFlight);
  expect(() => queues.receive(queue, 1, 30)).toThrow(/maximum number of in flight messages/);
  clock.stop();
});

test("SQS returns the oldest messages first and keeps them if the dead-letter queue does not exist", () => {
  const { queues, queue } = aQueueWithClock({
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: "arn:aws:sqs:eu-west-1:000000000000:none",
      maxReceiveCount: 1,
    }),
  });
  for (const body of ["1", "2", "3"]) queues.add("q", body);
  const bodies = () => queues.receive(queue, 10, 0).map(({ message }) => message.body);
  expect(bodies()).toEqual(["1", "2", "3"]);
  expect(bodies()).toEqual(["1", "2", "3"]);
});
