import { expect, test } from "vitest";
import { capacityAt, essentialsDollars } from "./capacity.ts";
import { replacePart } from "./capacity-part.ts";
import { capacityTable, steps } from "./capacity-table.ts";
import { costsFrom, type MeasuredCosts, type Report, type Reports } from "./measured-costs.ts";

/** Invented figures that are easy to calculate with. */
const costs: MeasuredCosts = {
  fullSpeed: { api: 0.3, worker: 0.6, postgres: 0.9 },
  paced: { sendsPerSecond: 100, cpu: { api: 3, worker: 6, postgres: 9 } },
  proxyCpuPer1000: 0.06,
  walBytes: 5_000,
  recordBytes: 1_000,
  contentBytes: 2_000,
};

test("a cell handles 2,000 sends per second; a higher rate is spread evenly over the smallest number of cells", () => {
  expect(steps.map((step) => capacityAt(step, costs).cells)).toEqual([1, 1, 5, 50]);
  expect(capacityAt(2_000, costs).cells).toBe(1);
  expect(capacityAt(2_001, costs)).toMatchObject({ cells: 2, sendsPerSecondOfACell: 1_000.5 });
});

test("the number of cores follows from the measured CPU seconds at 60 % utilization", () => {
  const { cores, coresOfAllCells, coresOfTheProxy } = capacityAt(10_000, costs);
  expect(cores).toEqual({ api: expect.closeTo(1), worker: expect.closeTo(2), postgres: expect.closeTo(3) });
  expect(coresOfAllCells).toBe(30);
  expect(coresOfTheProxy).toBeCloseTo(1);
});

test("up to the measured low rate, a send costs what it costs at that rate", () => {
  expect(capacityAt(100, costs).cores.postgres).toBeCloseTo(1.5);
  expect(capacityAt(200, costs).cores.postgres).toBeCloseTo(0.3);
});

test("there are at least two APIs and two workers, and enough workers for the latency of SES", () => {
  expect(capacityAt(10, costs)).toMatchObject({ apis: 2, workers: 2, connections: 78 });
  const cheap = { ...costs, fullSpeed: { api: 0.001, worker: 0.001, postgres: 0.001 } };
  expect(capacityAt(2_000, cheap).workers).toBe(2);
  const expensive = { ...costs, fullSpeed: { api: 1.5, worker: 3, postgres: 1 } };
  expect(capacityAt(2_000, expensive)).toMatchObject({ apis: 5, workers: 10, connections: 5 * 18 + 10 * 21 });
});

test("disk space, WAL and SQS requests are those of one cell", () => {
  expect(capacityAt(10_000, costs)).toMatchObject({
    walBytesPerSecond: 2_000 * 5_000,
    recordBytesPerYear: 2_000 * 365 * 86_400 * 1_000,
    contentBytes: 2_000 * 37 * 86_400 * 2_000,
    maxSendRate: 2_223,
    sqsRequestsPerSecond: { least: 800, most: 8_000 },
  });
  expect(capacityAt(1_000, costs).yearsUntilFull).toBeCloseTo(10e12 / (1_000 * 365 * 86_400 * 1_000));
});

test("prices cover all cells; the tiers of the plan apply to each AWS account separately", () => {
  const { dollarsPerMonth } = capacityAt(10, costs);
  expect(dollarsPerMonth.ses).toBeCloseTo(2_592);
  // 25.92 million sends: 51.84 million events, 10.368 to 103.68 million requests.
  expect(dollarsPerMonth.snsAndSqs).toEqual({
    least: expect.closeTo(25.92 + 4.1472),
    most: expect.closeTo(25.92 + 41.472),
  });
  expect(essentialsDollars(10_000_000)).toBeCloseTo(1_600);
  expect(essentialsDollars(25_920_000)).toBeCloseTo(1_600 + 15_920 * 0.14);
  expect(essentialsDollars(200_000_000)).toBeCloseTo(1_600 + 90_000 * 0.14 + 100_000 * 0.11);
  expect(capacityAt(4_000, costs).dollarsPerMonth.sesEssentials).toBeCloseTo(
    2 * essentialsDollars(2_000 * 30 * 86_400),
  );
});

test("the costs are medians of the reports, with two events per send", () => {
  expect(costsFrom(reports())).toEqual({
    fullSpeed: { api: 0.2, worker: 0.3 + 2 * 0.1, postgres: expect.closeTo(0.1 + 0.2 + 2 * 0.05) },
    paced: { sendsPerSecond: 100, cpu: { api: 1, worker: 2, postgres: 3 } },
    proxyCpuPer1000: 0.04,
    walBytes: 7_000,
    recordBytes: 900,
    contentBytes: 2_500,
  });
});

test("a missing figure throws an error that names it", () => {
  const { cells, ...rest } = reports();
  expect(() => costsFrom({ ...rest, cells: { ...cells, findings: {} } })).toThrow(
    "cells.json does not have: bytes on disk per record",
  );
  const noWorker = report("drain", { "100 slots": { postern: [{ rate: 1, cpu: { postgres: 1 } }] } });
  expect(() => costsFrom({ ...rest, cells, drain: noWorker })).toThrow("drain.json does not have: postern node");
});

test("the table has a column for each step and replaces the previous table", () => {
  const table = capacityTable(costs, reports());
  const widths = table
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").length - 2);
  expect(new Set(widths)).toEqual(new Set([steps.length + 1]));
  expect(table).toContain("| **Cells** | **1** | **1** | **5** | **50** |");
  expect(table).not.toMatch(/NaN|undefined|Infinity/);
  const page = (part: string) =>
    `before\n<!-- capacity: written by npm run docs -->\n${part}\n<!-- capacity: end -->\nafter\n`;
  expect(replacePart(page("old"), table)).toBe(page(table));
  expect(() => replacePart("no markers", table)).toThrow("does not have the markers");
});

type Rounds = Record<string, { rate: number; cpu?: Record<string, number>; notes?: Record<string, number> }[]>;

function report(bench: string, comparisons: Record<string, Rounds>, findings: Record<string, number> = {}): Report {
  const named = Object.entries(comparisons).map(([title, rounds]) => [title, { baseline: "", rounds, ratios: {} }]);
  const machine = { commit: "abc1234", date: "2026-11-20T10:00", cores: 2, processor: "invented" };
  return { bench, machine, comparisons: Object.fromEntries(named), findings };
}

function reports(): Reports {
  const cpu = (node: number, postgres: number) => ({ rate: 1, cpu: { node, postgres } });
  const paced = { rate: 1, cpu: { api: 1, worker: 2, postgres: 3 }, notes: { proxyCpu: 0.04, walBytes: 7_000 } };
  const findings = { "bytes on disk per record": 900, "bytes on disk per content": 2_500 };
  return {
    accept: report("accept", { "64 connections": { postern: [cpu(0.1, 0.1), cpu(0.9, 0.1), cpu(0.2, 0.1)] } }),
    drain: report("drain", { "100 slots": { postern: [cpu(0.3, 0.2)] } }),
    feedback: report("feedback", { "from SQS": { postern: [cpu(0.1, 0.05)] } }),
    cells: report("cells", { "100 sends per second in each cell": { "one cell": [paced] } }, findings),
  };
}
