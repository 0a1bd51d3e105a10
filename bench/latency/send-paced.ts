import { setTimeout as sleep } from "node:timers/promises";
import type { SendingClient, TestSender } from "../../service/proofs/sends/sending-client.ts";

interface Pace {
  url: string;
  senders: TestSender[];
  perSecond: number;
  count: number;
}

/** Sends at a steady rate without waiting for earlier answers. Returns the time at which each send got its 202. */
export async function sendPaced(client: SendingClient, { url, senders, perSecond, count }: Pace) {
  const answeredAt = new Map<string, number>();
  const begun = performance.now();
  const inFlight: Promise<void>[] = [];
  for (let number = 0; number < count; number++) {
    await sleep(Math.max(0, begun + (number * 1000) / perSecond - performance.now()));
    inFlight.push(sendOne(number));
  }
  await Promise.all(inFlight);
  return answeredAt;

  async function sendOne(number: number): Promise<void> {
    const sender = senders[number % senders.length];
    if (sender === undefined) throw new Error("sendPaced needs at least one sender");
    const { status, body } = await client.send(url, sender, { text: "x".repeat(1_500) });
    if (status !== 202 || body.id === undefined) throw new Error(`a send was answered with ${status}`);
    answeredAt.set(body.id, performance.timeOrigin + performance.now());
  }
}
