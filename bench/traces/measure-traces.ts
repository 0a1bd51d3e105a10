import { rmSync } from "node:fs";
import { trace } from "@opentelemetry/api";
import { embeddedBinaries } from "../../service/src/dev/postgres/embedded-postgres.ts";
import { isTracing } from "../../service/src/tracing.ts";
import { makeServerData, startServerOn } from "../../service/test/private-postgres.ts";
import { copyTemplate, createTemplate } from "../../service/test/template-database.ts";
import { median, spread } from "../frame/statistics.ts";
import { loadSdk, startCollector } from "./sdk.ts";
import { openTracedCell, type TracedCell } from "./traced-cell.ts";

/**
 * What traces cost per send: CPU time of this process for the complete `POST /send`, and for claim, submit and settle, with and without an SDK,
 * alternating in one run. PostgreSQL and the collector are other processes. Exporting counts. `npm run bench:traces -- [ROUNDS] [SENDS]`
 */
const [roundsText = "9", sendsText = "1000"] = process.argv.slice(2);
const [rounds, sends] = [Number(roundsText), Number(sendsText)];

interface Variant {
  name: string;
  hasSdk: boolean;
  hasHeader: boolean;
}

const variants: Variant[] = [
  { name: "no SDK", hasSdk: false, hasHeader: false },
  { name: "no SDK, requests with `traceparent`", hasSdk: false, hasHeader: true },
  { name: "SDK, every trace sampled", hasSdk: true, hasHeader: true },
];

interface Cost {
  accept: number;
  drain: number;
  walBytes: number;
}

const collector = await startCollector();
const sdk = loadSdk(collector.url);
const binaries = await embeddedBinaries();
const made = makeServerData(binaries);
// Counts of WAL do not depend on the disk, and no checkpoint adds whole pages to them.
const server = await startServerOn(binaries, made.data, { fsync: "off", full_page_writes: "off", autovacuum: "off" });
try {
  await createTemplate(server.url);
  const copy = await copyTemplate(server.url);
  const cell = await openTracedCell(copy.url, (hasSdk) => switchSdk(hasSdk));
  try {
    print(await measure(cell));
  } finally {
    await cell.close();
  }
} finally {
  collector.stop();
  await server.stop();
  rmSync(made.folder, { recursive: true, force: true });
}

/** Registers or removes the SDK, as if Node had loaded it or not. */
function switchSdk(hasSdk: boolean): void {
  trace.disable();
  if (hasSdk) trace.setGlobalTracerProvider(sdk);
  if (isTracing() !== hasSdk) throw new Error("the SDK could not be switched");
}

async function measure(cell: TracedCell): Promise<Map<Variant, Cost[]>> {
  const costs = new Map<Variant, Cost[]>(variants.map((variant) => [variant, []]));
  for (const variant of variants) await costOf(cell, variant);
  for (let round = 0; round < rounds; round++) {
    for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
      costs.get(variant)?.push(await costOf(cell, variant));
      console.error(`… round ${round + 1} of ${rounds}, ${variant.name}`);
    }
  }
  return costs;
}

async function costOf(cell: TracedCell, { hasSdk, hasHeader }: Variant): Promise<Cost> {
  switchSdk(hasSdk);
  const wal = await cell.walBytes();
  const accept = await cpuOf(() => cell.accept(sends, { hasSdk, hasHeader }));
  const walBytes = ((await cell.walBytes()) - wal) / sends;
  const drain = await cpuOf(() => cell.drain(sends));
  return { accept, drain, walBytes };
}

/** Microseconds per send. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  if (isTracing()) await sdk.forceFlush();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / sends;
}

function print(costs: Map<Variant, Cost[]>): void {
  console.log(`${rounds} rounds of ${sends} sends for each variant; per send, median (least to most):\n`);
  console.log("| Variant | CPU of accept, µs | CPU of drain, µs | WAL of accept, bytes |\n|---|---|---|---|");
  for (const [{ name }, each] of costs) {
    const cells = (["accept", "drain", "walBytes"] as const).map((what) => figureOf(each.map((cost) => cost[what])));
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  switchSdk(false);
  const calls = 1_000_000;
  const before = process.cpuUsage().user;
  for (let call = 0; call < calls; call++) isTracing();
  console.log(
    `\nThe check whether there is an SDK: ${((process.cpuUsage().user - before) / calls / 1e-3).toFixed(0)} ns`,
  );
}

function figureOf(figures: number[]): string {
  const { least, most } = spread(figures);
  return `${median(figures).toFixed(0)} (${least.toFixed(0)} to ${most.toFixed(0)})`;
}
