import type { SesSimulator } from "@postern/ses-simulator";
import type { LedgerRecord } from "../../../ses-simulator/src/ledger/ledger-record.ts";

export async function changeSimulator(
  { url }: Pick<SesSimulator, "url">,
  method: string,
  path: string,
  body: object,
): Promise<void> {
  const response = await fetch(`${url}/_simulator/${path}`, { method, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

/** Every mail that the simulator accepted, oldest first. */
export async function readLedger({ url }: SesSimulator): Promise<{ sendId: string; acceptedAt: number }[]> {
  const response = await fetch(`${url}/_simulator/ledger.ndjson`);
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const { tags, acceptedAt } = JSON.parse(line) as LedgerRecord;
    return { sendId: tags.send_id?.[0] ?? "", acceptedAt: Date.parse(acceptedAt) };
  });
}
