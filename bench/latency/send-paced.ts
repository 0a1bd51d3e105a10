import { setTimeout as sleep } from "node:timers/promises";
import type { SendingClient, TestSender } from "../../service/proofs/sending-client.ts";

interface Pace {
  url: string;
  senders: TestSender[];
  perSecond: number;
  count: number;
}

/** One after the other at a steady pace, whether the earlier ones are answered or not. Returns when each had its 202. */
export async function sendPaced(client: SendingClient, { url, senders, perSecond, count }: Pace) {
  const answeredAt = new Map<string, number>();
  const begun = performance.now();
  const underWay: Promise<void>[] = [];
  for (let number = 0; number < count; number++) {
    await sleep(Math.max(0, begun + (number * 1000) / perSecond - performance.now()));
    underWay.push(sendOne(number));
  }
  await Promise.all(underWay);
  return answeredAt;

  async function sendOne(number: number): Promise<void> {
    const sender = senders[number % senders.length];
    if (sender === undefined) throw new Error("there is no sender");
    const { status, body } = await client.send(url, sender, { text: "x".repeat(1_500) });
    if (status !== 202 || body.id === undefined) throw new Error(`a send was answered ${status}`);
    answeredAt.set(body.id, performance.timeOrigin + performance.now());
  }
}
