import { type Capacity, capacityAt, type Range } from "./capacity.ts";
import { sensibleTerabytes } from "./limits-and-prices.ts";
import type { MeasuredCosts, Reports } from "./measured-costs.ts";

export const steps = [10, 1_000, 10_000, 100_000];

const rows: [what: string, show: (capacity: Capacity) => string][] = [
  ["Sends a day", ({ sendsPerSecond }) => count(sendsPerSecond * 86_400)],
  ["**Cells**", ({ cells }) => `**${count(cells)}**`],
  ["API processes, workers", ({ apis, workers }) => `${apis}, ${workers}`],
  ["Cores: API, workers, PostgreSQL", ({ cores }) => [cores.api, cores.worker, cores.postgres].map(few).join(", ")],
  ["Connections to PostgreSQL, at most", ({ connections }) => count(connections)],
  ["WAL", ({ walBytesPerSecond }) => `${bytes(walBytesPerSecond)}/s, ${bytes(walBytesPerSecond * 86_400)} a day`],
  ["Content on disk, kept 30 days", ({ contentBytes }) => bytes(contentBytes)],
  ["Records, kept for good", ({ recordBytesPerYear }) => `${bytes(recordBytesPerYear)} a year`],
  [`Until they are ${sensibleTerabytes} TB`, ({ yearsUntilTooMuch }) => years(yearsUntilTooMuch)],
  ["`MaxSendRate` to ask of SES", ({ maxSendRate }) => `${count(maxSendRate)}/s`],
  ["SQS requests: full batches, one by one", ({ sqsRequestsPerSecond }) => `${range(sqsRequestsPerSecond, few)}/s`],
  ["Cores, all cells", ({ coresOfAllCells }) => count(coresOfAllCells)],
  ["Cores of HAProxy", ({ cells, coresOfTheProxy }) => (cells === 1 ? "none" : few(coresOfTheProxy))],
  ["SES a month, without a plan", ({ dollarsPerMonth }) => dollars(dollarsPerMonth.ses)],
  ["SES a month, plan Essentials", ({ dollarsPerMonth }) => dollars(dollarsPerMonth.sesEssentials)],
  ["SNS and SQS a month", ({ dollarsPerMonth }) => range(dollarsPerMonth.snsAndSqs, dollars)],
];

/** The part of docs/scale.md that is computed. */
export function capacityTable(costs: MeasuredCosts, reports: Reports): string {
  const columns = steps.map((step) => capacityAt(step, costs));
  return [
    `| Of each cell, if not said otherwise | ${steps.map((step) => `${count(step)}/s`).join(" | ")} |`,
    `|---|${"---|".repeat(steps.length)}`,
    ...rows.map(([what, show]) => `| ${what} | ${columns.map(show).join(" | ")} |`),
    "",
    `Measured: ${costLine(costs)}`,
    `On ${sources(reports)}.`,
  ].join("\n");
}

function costLine({ fullSpeed, paced, walBytes, recordBytes, contentBytes }: MeasuredCosts): string {
  const cpu = ({ api, worker, postgres }: MeasuredCosts["fullSpeed"]) =>
    `API ${api.toFixed(2)}, worker ${worker.toFixed(2)}, PostgreSQL ${postgres.toFixed(2)}`;
  return (
    `processor seconds for 1,000 sends at full speed ${cpu(fullSpeed)}, at ${paced.sendsPerSecond} a second ${cpu(paced.cpu)}; ` +
    `${count(walBytes)} bytes of WAL for a send; on disk ${count(recordBytes)} bytes for a record with its events, which is ` +
    `${bytes(recordBytes * 1e6)} for a million, and ${count(contentBytes)} for the content of a mail of 2 KB.`
  );
}

function sources(reports: Reports): string {
  const { processor, cores } = reports.cells.machine;
  const runs = Object.values(reports).map(
    ({ bench, machine }) => `\`${bench}\` ${machine.date.slice(0, 10)} at ${machine.commit}`,
  );
  return `${cores} cores, ${processor}: ${runs.join(", ")}`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function few(value: number): string {
  return value < 1 ? value.toFixed(2) : value < 10 ? value.toFixed(1) : count(value);
}

function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(value) / 3)));
  return `${few(value / 1000 ** power)} ${units[power]}`;
}

function range({ least, most }: Range, show: (value: number) => string): string {
  return `${show(least)} to ${show(most)}`;
}

function years(value: number): string {
  return value < 1 ? `${few(value * 12)} months` : `${few(value)} years`;
}

function dollars(value: number): string {
  return `$${value < 10 ? value.toFixed(2) : count(value)}`;
}
