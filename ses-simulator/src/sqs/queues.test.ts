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

function aQueueRoom(attributes: Record<string, string> = {}) {
  const clock = new TestClock();
  const maps = new DurableMaps(aFolder(), new GroupCommit());
  const queues = new Queues({ queues: maps.map("q"), messages: maps.map("m"), receipts: maps.map("r") }, clock);
  const queue: Queue = { name: "q", arn: "arn:aws:sqs:eu-west-1:000000000000:q", createdAt: clock.now(), attributes };
  queues.save(queue);
  return { clock, queues, queue };
}

test("a message older than the retention period is gone", () => {
  const { clock, queues, queue } = aQueueRoom({ MessageRetentionPeriod: "60" });
  queues.add("q", "old");
  clock.time += 30_000;
  queues.add("q", "young");
  clock.time += 31_000;
  expect(queues.take(queue, 10, 30).map(({ message }) => message.body)).toEqual(["young"]);
  expect(queues.counts("q")).toEqual({ ready: 0, inFlight: 1 });
});

test("with 120,000 messages in flight the next receive is OverLimit", () => {
  const { clock, queues, queue } = aQueueRoom();
  for (let number = 0; number <= maxInFlight; number++) queues.add("q", "x");
  expect(queues.take(queue, maxInFlight, 30)).toHaveLength(maxInFlight);
  expect(() => queues.take(queue, 1, 30)).toThrow(/maximum number of in flight messages/);
  clock.stop();
});

test("messages are given oldest first, and a dead-letter queue that is missing keeps them where they are", () => {
  const { queues, queue } = aQueueRoom({
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: "arn:aws:sqs:eu-west-1:000000000000:none",
      maxReceiveCount: 1,
    }),
  });
  for (const body of ["1", "2", "3"]) queues.add("q", body);
  const bodies = () => queues.take(queue, 10, 0).map(({ message }) => message.body);
  expect(bodies()).toEqual(["1", "2", "3"]);
  expect(bodies()).toEqual(["1", "2", "3"]);
});
