import { setTimeout as sleep } from "node:timers/promises";
import { changeSimulator } from "../../../service/proofs/cell/simulator-control.ts";
import type { TestSender } from "../../../service/proofs/sends/sending-client.ts";
import { change } from "../../../service/test/send-rows.ts";
import type { ReceivedMail } from "./count-mail.ts";
import type { Mover } from "./move-command.ts";
import type { MovingCells } from "./open-cells.ts";
import type { LoadedSend } from "./sdk-load.ts";

const storedWithinMs = 30_000;

/** SES reports a bounce of a mail of the source after the switch. The command, run again, brings it to the target. */
export async function reportLateBounce(
  { source, target }: MovingCells,
  command: Mover,
  { accountId }: TestSender,
  acceptedBefore: LoadedSend[],
  mails: Map<string, ReceivedMail[]>,
): Promise<boolean> {
  const isOfSource = ({ recipient }: LoadedSend) => mails.get(recipient)?.[0]?.cell === "source";
  const send = acceptedBefore.find(isOfSource);
  const [mail] = mails.get(send?.recipient ?? "") ?? [];
  if (send === undefined || mail === undefined) throw new Error("no mail of the load went out in the source");
  const before = await newestStored(source);
  await changeSimulator({ url: source.simulatorUrl }, "POST", `mails/${mail.messageId}/events`, { type: "Bounce" });
  const end = performance.now() + storedWithinMs;
  // When it is never stored, the comparison in the target fails.
  while ((await newestStored(source)) === before && performance.now() < end) await sleep(100);
  await command.run("--switch");
  const bounces = await change(
    target.db,
    "select from events where account_id = $1 and send_id = $2 and event_type = 'Bounce'",
    [accountId, send.id],
  );
  return bounces.length === 1;
}

async function newestStored({ db }: MovingCells["source"]): Promise<number> {
  const [row] = await change(db, "select coalesce(max(id), 0) as newest from moved_feedback");
  return Number(row?.newest);
}
