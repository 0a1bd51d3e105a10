import type { Database } from "../../src/db/database.ts";
import { anAccount } from "../../test/builders.ts";
import { testContentKeys } from "../../test/send-builders.ts";
import { storeBacklog } from "./backlog.ts";
import { type Answer, aLoopbackEndpoint, type LoopbackReceiver, startLoopbackReceiver } from "./loopback-receiver.ts";

const byteEveryMs = 500;
const slowMs = 100;

interface BadReceivers {
  pending: number;
  receivers: LoopbackReceiver[];
}

/**
 * An account with three endpoints: one never answers, one answers byte by byte, and one has many pending deliveries and works them off. The
 * first two have some pending as well. Returns the id of the third.
 */
export async function addBadReceivers(db: Database, { pending, receivers }: BadReceivers): Promise<string> {
  const accountId = await anAccount(db);
  const add = async (answer: Answer, count: number) => {
    const receiver = await startLoopbackReceiver(answer);
    receivers.push(receiver);
    const types = ["send.sent"] as const;
    const { id } = await aLoopbackEndpoint(db, { accountId, contentKeys: testContentKeys, types, url: receiver.url });
    await storeBacklog(db, { accountId, endpointId: id, count });
    return id;
  };
  await add(() => undefined, pending / 100);
  await add(answerByteByByte, pending / 100);
  return add((_, response) => void setTimeout(() => response.writeHead(200).end(), slowMs), pending);
}

function answerByteByByte(_: unknown, { socket }: Parameters<Answer>[1]): void {
  const bytes = [..."HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n", ..."x".repeat(100)];
  const timer = setInterval(() => {
    const next = bytes.shift();
    if (next !== undefined) socket?.write(next);
  }, byteEveryMs);
  socket?.on("close", () => clearInterval(timer));
}
