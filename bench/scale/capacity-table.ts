import { type Capacity, capacityAt, type Range } from "./capacity.ts";
import { maxTerabytes } from "./limits-and-prices.ts";
import type { MeasuredCosts, Reports } from "./measured-costs.ts";

export const steps = [10, 1_000, 10_000, 100_000];

const rows: [what: string, show: (capacity: Capacity) => string][] = [
  ["Sends per day", ({ sendsPerSecond }) => count(sendsPerSecond * 86_400)],
  ["**Cells**", ({ cells }) => `**${count(cells)}**`],
  ["API processes, workers", ({ apis, workers }) => `${apis}, ${workers}`],
  ["Cores: API, workers, PostgreSQL", ({ cores }) => [cores.api, cores.worker, cores.postgres].map(few).join(", ")],
  ["Maximum connections to PostgreSQL", ({ connections }) => count(connections)],
  ["WAL", ({ walBytesPerSecond }) => `${bytes(walBytesPerSecond)}/s, ${bytes(walBytesPerSecond * 86_400)} per day`],
  ["Content on disk, kept 30 days", ({ contentBytes }) => bytes(contentBytes)],
  ["Records, kept permanently", ({ recordBytesPerYear }) => `${bytes(recordBytesPerYear)} per year`],
  [`Time until the records reach ${maxTerabytes} TB`, ({ yearsUntilFull }) => years(yearsUntilFull)],
  ["`MaxSendRate` to request from SES", ({ maxSendRate }) => `${count(maxSendRate)}/s`],
  [
    "SQS requests: full batches to single messages",
    ({ sqsRequestsPerSecond }) => `${range(sqsRequestsPerSecond, few)}/s`,
  ],
  ["Cores of all cells", ({ coresOfAllCells }) => count(coresOfAllCells)],
  ["Cores of HAProxy", ({ cells, coresOfTheProxy }) => (cells === 1 ? "none" : few(coresOfTheProxy))],
  ["SES per month, without a plan", ({ dollarsPerMonth }) => dollars(dollarsPerMonth.ses)],
  ["SES per month, plan Essentials", ({ dollarsPerMonth }) => dollars(dollarsPerMonth.sesEssentials)],
  ["SNS and SQS per month", ({ dollarsPerMonth }) => range(dollarsPerMonth.snsAndSqs, dollars)],
];

/** The computed part of docs/scale.md. */
export function capacityTable(costs: MeasuredCosts, reports: Reports): string {
  const columns = steps.map((step) => capacityAt(step, costs));
  return [
    `| Per cell, unless stated otherwise | ${steps.map((step) => `${count(step)}/s`).join(" | ")} |`,
    `|---|${"---|".repeat(steps.length)}`,
    ...rows.map(([what, show]) => `| ${what} | ${columns.map(show).join(" | ")} |`),
    "",
    `Measured: ${costLine(costs)}`,
    `Machine: ${sources(reports)}.`,
  ].join("\n");
}

function costLine({ fullSpeed, paced, walBytes, recordBytes, contentBytes }: MeasuredCosts): string {
  const cpu = ({ api, worker, postgres }: MeasuredCosts["fullSpeed"]) =>
    `API ${api.toFixed(2)}, worker ${worker.toFixed(2)}, PostgreSQL ${postgres.toFixed(2)}`;
  return (
    `CPU seconds per 1,000 sends at full speed: ${cpu(fullSpeed)}; at ${paced.sendsPerSecond} sends per second: ${cpu(paced.cpu)}. ` +
    `${count(walBytes)} bytes of WAL per send. On disk: ${count(recordBytes)} bytes per record with its events, which is ` +
    `${bytes(recordBytes * 1e6)} per million, and ${count(contentBytes)} bytes for the content of a 2 KB mail.`
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
