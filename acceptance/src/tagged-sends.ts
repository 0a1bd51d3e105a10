import { randomUUID } from "node:crypto";
import type { Answer } from "./client.ts";
import type { RunContext } from "./run-context.ts";
import { testMail } from "./test-mail.ts";
import { until } from "./until.ts";

export interface TaggedSends {
  tag: string;
  metadata: { order: string };
  /** In the order in which the API accepted them. */
  ids: string[];
  /** The bodies of the notifications of both. */
  notifications: Answer["body"][];
}

/** The tag and the subjects would be formulas in a spreadsheet. */
export async function sendWithTag(context: RunContext): Promise<TaggedSends> {
  const { admin } = context;
  const tag = `-acceptance-${randomUUID()}`;
  const metadata = { order: tag };
  const listener = await admin.createListener(["send.delivered"]);
  const ids: string[] = [];
  for (const subject of ["=1+1", "=2+2"]) {
    const { body } = await admin.send("test", { ...testMail(context, "delivered"), subject, tags: [tag], metadata });
    ids.push(String(body?.id));
  }
  const notifications: Answer["body"][] = [];
  const take = async () => {
    const { body } = await admin.asUser("POST", `/api/v1/webhooks/listeners/${listener}/take`, { body: {} });
    const taken: { body: string }[] = body?.notifications ?? [];
    notifications.push(
      ...taken.map((each) => JSON.parse(each.body)).filter(({ data }) => ids.includes(data?.send?.id)),
    );
    return notifications;
  };
  await until(take, () => notifications.length >= ids.length);
  return { tag, metadata, ids, notifications };
}
