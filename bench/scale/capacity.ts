import * as given from "./limits-and-prices.ts";
import type { CpuPer1000, MeasuredCosts } from "./measured-costs.ts";

export interface Range {
  least: number;
  most: number;
}

/** The resources for a send rate. Quantities are those of one cell unless their names say otherwise. */
export interface Capacity {
  sendsPerSecond: number;
  cells: number;
  sendsPerSecondOfACell: number;
  apis: number;
  workers: number;
  cores: CpuPer1000;
  coresOfAllCells: number;
  coresOfTheProxy: number;
  connections: number;
  walBytesPerSecond: number;
  recordBytesPerYear: number;
  contentBytes: number;
  yearsUntilFull: number;
  maxSendRate: number;
  /** From full batches (least) to single messages (most). */
  sqsRequestsPerSecond: Range;
  dollarsPerMonth: { ses: number; sesEssentials: number; snsAndSqs: Range };
}

const secondsOfAMonth = 30 * 86_400;
const secondsOfAYear = 365 * 86_400;

/** Spreads the rate evenly over the cells, rounds processes up to whole numbers, and keeps cores at `busyShare`. */
export function capacityAt(sendsPerSecond: number, costs: MeasuredCosts): Capacity {
  const cells = Math.ceil(sendsPerSecond / given.sendsPerSecondOfACell);
  const ofACell = sendsPerSecond / cells;
  // At a low rate few sends share a round trip, so each costs more. The measured low-rate costs apply up to that rate.
  const cpu = ofACell <= costs.paced.sendsPerSecond ? costs.paced.cpu : costs.fullSpeed;
  const coresFor = (secondsPer1000: number) => ((ofACell / 1000) * secondsPer1000) / given.busyShare;
  // A Node process runs JavaScript on one thread, so it uses at most one core.
  const apis = Math.max(given.leastProcesses, Math.ceil(coresFor(cpu.api)));
  const slotsNeeded = Math.ceil((ofACell * given.secondsInSes) / given.slots);
  const workers = Math.max(given.leastProcesses, Math.ceil(coresFor(cpu.worker)), slotsNeeded);
  const cores = { api: coresFor(cpu.api), worker: coresFor(cpu.worker), postgres: coresFor(cpu.postgres) };
  const recordBytesPerYear = ofACell * secondsOfAYear * costs.recordBytes;
  return {
    sendsPerSecond,
    cells,
    sendsPerSecondOfACell: ofACell,
    apis,
    workers,
    cores,
    coresOfAllCells: Math.ceil(cores.api + cores.worker + cores.postgres) * cells,
    coresOfTheProxy: ((sendsPerSecond / 1000) * costs.proxyCpuPer1000) / given.busyShare,
    connections: apis * given.connectionsOf.api + workers * given.connectionsOf.worker,
    walBytesPerSecond: ofACell * costs.walBytes,
    recordBytesPerYear,
    contentBytes: ofACell * given.contentDays * 86_400 * costs.contentBytes,
    yearsUntilFull: (given.maxTerabytes * 1e12) / recordBytesPerYear,
    maxSendRate: Math.ceil(ofACell / given.shareOfSendRate),
    sqsRequestsPerSecond: sqsRequests(ofACell),
    dollarsPerMonth: dollarsPerMonth(ofACell * secondsOfAMonth, cells),
  };
}

/** One request to receive each message, and one to delete it. */
function sqsRequests(sends: number): Range {
  const most = sends * given.eventsOfASend * 2;
  return { least: most / given.messagesInABatch, most };
}

/** SES applies its tiers per AWS account, and each cell has its own account. */
function dollarsPerMonth(sendsOfACell: number, cells: number) {
  const sns = ((sendsOfACell * given.eventsOfASend) / 1e6) * given.snsDollarsPerMillion;
  const sqs = (requests: number) => (requests / 1e6) * given.sqsDollarsPerMillion;
  const { least, most } = sqsRequests(sendsOfACell);
  return {
    ses: (sendsOfACell / 1000) * given.sesDollarsPerThousand * cells,
    sesEssentials: essentialsDollars(sendsOfACell) * cells,
    snsAndSqs: { least: (sns + sqs(least)) * cells, most: (sns + sqs(most)) * cells },
  };
}

export function essentialsDollars(emails: number): number {
  return given.sesEssentials.reduce((sum, { above, dollarsPerThousand }, tier) => {
    const until = given.sesEssentials[tier + 1]?.above ?? Number.POSITIVE_INFINITY;
    const inTier = Math.max(0, Math.min(emails, until) - above);
    return sum + (inTier / 1000) * dollarsPerThousand;
  }, 0);
}
