import * as given from "./limits-and-prices.ts";
import type { CpuPer1000, MeasuredCosts } from "./measured-costs.ts";

export interface Range {
  least: number;
  most: number;
}

/** What so many sends a second need. Quantities are those of one cell unless their names say otherwise. */
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
  yearsUntilTooMuch: number;
  maxSendRate: number;
  /** With full batches, and with messages that come one by one. */
  sqsRequestsPerSecond: Range;
  dollarsPerMonth: { ses: number; sesEssentials: number; snsAndSqs: Range };
}

const secondsOfAMonth = 30 * 86_400;
const secondsOfAYear = 365 * 86_400;

/** Cells are filled evenly; processes and cores are whole, and none is busier than it should be. */
export function capacityAt(sendsPerSecond: number, costs: MeasuredCosts): Capacity {
  const cells = Math.ceil(sendsPerSecond / given.sendsPerSecondOfACell);
  const ofACell = sendsPerSecond / cells;
  // Few at a time cost more each: up to the pace at which that was measured, its costs count.
  const cpu = ofACell <= costs.paced.sendsPerSecond ? costs.paced.cpu : costs.fullSpeed;
  const coresFor = (secondsPer1000: number) => ((ofACell / 1000) * secondsPer1000) / given.busyShare;
  // A process of Node has one thread for its work, so it fills one core.
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
    yearsUntilTooMuch: (given.sensibleTerabytes * 1e12) / recordBytesPerYear,
    maxSendRate: Math.ceil(ofACell / given.shareOfSendRate),
    sqsRequestsPerSecond: sqsRequests(ofACell),
    dollarsPerMonth: dollarsPerMonth(ofACell * secondsOfAMonth, cells),
  };
}

/** Each message is received and deleted. */
function sqsRequests(sends: number): Range {
  const most = sends * given.eventsOfASend * 2;
  return { least: most / given.messagesInABatch, most };
}

/** SES counts per AWS account, and a cell has its own. */
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
