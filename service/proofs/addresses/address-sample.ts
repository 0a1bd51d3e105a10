import { rmSync } from "node:fs";
import { type SesSimulator, startSesSimulator } from "@postern/ses-simulator";
import type { ProofTools } from "../../../scripts/proof.ts";
import type { LedgerRecord } from "../../../ses-simulator/src/ledger/ledger-record.ts";
import { domainOf } from "../../../ses-simulator/src/ses/address.ts";
import type { EmailProvider } from "../../src/provider/email-provider.ts";
import { createSesProvider } from "../../src/provider/ses/ses-provider.ts";
import {
  aMail,
  aSmuggledMail,
  configurationSetName,
  type Pair,
  receivedAsChecked,
  smuggleFields,
} from "./address-mail.ts";
import { readEncodedMailbox } from "./encoded-mailbox.ts";

export interface SentSample {
  mails: number;
  refused: number;
  different: number;
  attempts: number;
  smuggled: number;
  uncounted: number;
}

/** Sends a sample through the AWS SDK, HTTP and the simulator's ledger. Only the parsed sender domains are verified there. */
export async function sendSample(sample: Pair[], progress: ProofTools["progress"]): Promise<SentSample> {
  const verifiedIdentities = [...new Set(sample.map(({ sender }) => sender.address.domain)), "shop.test"];
  const simulator = await startSesSimulator({ verifiedIdentities, maxSendRate: 100_000 });
  process.env.AWS_ACCESS_KEY_ID ??= "simulator";
  process.env.AWS_SECRET_ACCESS_KEY ??= "simulator";
  const { region, url: endpoint } = simulator;
  const provider = createSesProvider({ region, endpoint, accountId: "000000000000", partition: "aws" });
  const sent: SentSample = { mails: 0, refused: 0, different: 0, attempts: 0, smuggled: 0, uncounted: 0 };
  try {
    await provider.createConfigurationSet(configurationSetName);
    for (const pair of sample) {
      sent.mails++;
      const answer = await provider.submit(aMail(pair.recipient, pair.sender));
      if (answer.kind !== "accepted") sent.refused++;
      else if (!(await isInLedger(simulator, answer.providerMessageId, pair))) sent.different++;
      progress(`${sent.mails} of ${sample.length} over HTTP`);
    }
    for (const text of ["\r\nBcc: x@evil.test", "\n", "\r", "\0", "\u0085", "\u2028"])
      await smuggle(provider, text, sent);
    const { total } = (await getJson(simulator, "ledger?limit=1")) as { total: number };
    sent.uncounted = Math.abs(total - (sent.mails - sent.refused));
    return sent;
  } finally {
    await simulator.stop();
    rmSync(simulator.dataFolder, { recursive: true, force: true });
  }
}

async function isInLedger(simulator: SesSimulator, messageId: string, pair: Pair): Promise<boolean> {
  const record = (await getJson(simulator, `ledger/${messageId}`)) as LedgerRecord;
  return (
    receivedAsChecked(record, pair) &&
    domainOf(`@${record.identity}`) === pair.sender.address.domain &&
    readEncodedMailbox(record.from)?.name === pair.sender.name
  );
}

/** Submits the unparsed text in each field, as a bug in the service would. */
async function smuggle(provider: EmailProvider, text: string, sent: SentSample): Promise<void> {
  for (let field = 0; field < smuggleFields; field++) {
    sent.attempts++;
    const answer = await provider.submit(aSmuggledMail(`x${text}y`, field)).catch(() => undefined);
    if (answer !== undefined) sent.smuggled++;
  }
}

async function getJson(simulator: SesSimulator, path: string): Promise<unknown> {
  const response = await fetch(`${simulator.url}/_simulator/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}
