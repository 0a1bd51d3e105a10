import { envelopeText, eventText } from "../../service/proofs/event-texts.ts";
import { readWholeLedger } from "../../service/proofs/ledger-tail.ts";
import { quarantine } from "../../service/src/feedback/quarantine-store.ts";
import { askForDomain, type MatrixStage, sendMail, sendTestMail } from "./matrix-stage.ts";
import type { CrashPoint } from "./points.ts";

/** Gives a worker that is about to start, or runs, what leads it to the point. `label` is used once. */
export async function giveWorker(stage: MatrixStage, point: CrashPoint, label: string): Promise<void> {
  await sendMail(stage, label);
  await prepare(stage, point, label);
  if (point.chore !== undefined) await makeDue(stage, point.chore);
}

async function prepare(stage: MatrixStage, { occasion }: CrashPoint, label: string): Promise<void> {
  const { db } = stage.cell;
  switch (occasion) {
    case "test-send":
      return sendTestMail(stage, label);
    case "check":
      return proveDomain(stage, `${label}.io`);
    case "quarantine":
      return quarantineAnEvent(stage);
    case "suppression":
      await db.query({
        name: "chaos-unsuppress",
        text: `insert into suppression_removals (email) values ($1)`,
        values: [`${label}@example.test`],
      });
      return;
    case "partition":
      return dropNewestPartition(stage);
    case "stray-content":
      await db.query({
        name: "chaos-stray-content",
        text: `insert into send_contents (id, sealed) values (first_id_at(now() - random() * interval '1 day' - interval '40 days'), '')`,
      });
      return;
    case "abandoned-draft":
      await db.query({
        name: "chaos-abandoned-draft",
        text: `
          insert into domains (account_id, domain_name, challenge_token, configuration_set_name, created_at)
          values ($1, $2, 'token', 'postern-AA', now() - interval '20 minutes')`,
        values: [stage.cell.senders[0]?.accountId, `${label}.io`],
      });
      return;
    case "send":
    case "start":
    case "accept":
    case "register":
    case "remove":
  }
}

/** What an earlier run left would keep the chore from running for up to an hour. */
async function makeDue({ cell }: MatrixStage, chore: string): Promise<void> {
  await cell.db.query({ name: "chaos-make-due", text: `delete from pgboss.job where name = $1`, values: [chore] });
}

/** Registered, and its records published: the next check verifies it. */
async function proveDomain(stage: MatrixStage, name: string): Promise<void> {
  const { cell, dns, domains } = stage;
  const { body } = await askForDomain(stage, cell.apiUrls[0] ?? "", "POST", "", { domain_name: name });
  const proof = body.dns_records?.find(({ type }) => type === "TXT");
  if (proof === undefined) throw new Error(`${name} could not be registered`);
  await dns.publish(proof.name, `TXT "${proof.value}"`);
  const path = `${cell.simulatorUrl}/_simulator/identities/${name}/verification`;
  await fetch(path, { method: "POST", body: JSON.stringify({ status: "SUCCESS" }) });
  domains.push({ name, end: "verified" });
}

/** An event that was put aside and can be applied now: the next try takes it out of quarantine. */
async function quarantineAnEvent({ cell }: MatrixStage): Promise<void> {
  const mail = readWholeLedger({ dataFolder: `${cell.folder}/simulator` }).at(-1);
  if (mail === undefined) return;
  const told = { type: "Delivery", at: new Date().toISOString(), recipients: mail.recipients } as const;
  const raw = envelopeText(cell.environment.AWS_FEEDBACK_TOPIC_ARN ?? "", eventText(mail, told));
  await quarantine(cell.db, [{ reason: "unknown-send", raw }]);
  await cell.db.query({ name: "chaos-retry-now", text: `update feedback_quarantine set next_try_at = now()` });
}

async function dropNewestPartition({ cell: { db } }: MatrixStage): Promise<void> {
  const [newest] = await db.query<{ name: string }>({
    name: "chaos-newest-partition",
    text: `select name from partition_ranges where parent = 'events' and ends_at is not null order by ends_at desc limit 1`,
  });
  if (newest !== undefined) await db.query({ name: `chaos-drop-${newest.name}`, text: `drop table ${newest.name}` });
}
