import type { Comparison } from "../frame/compare.ts";
import { median } from "../frame/statistics.ts";
import { eventsOfASend } from "./limits-and-prices.ts";

/** CPU seconds per 1,000 sends, by process. */
export interface CpuPer1000 {
  api: number;
  worker: number;
  postgres: number;
}

export interface MeasuredCosts {
  /** The sum of `accept`, `drain` and `feedback`, each at full speed. */
  fullSpeed: CpuPer1000;
  /** A send from acceptance to its events at a low rate, measured by `cells`. */
  paced: { sendsPerSecond: number; cpu: CpuPer1000 };
  proxyCpuPer1000: number;
  walBytes: number;
  /** On disk, including indexes: the permanent record, and the sealed content of a 2 KB mail. */
  recordBytes: number;
  contentBytes: number;
}

/** The file that a full run of a bench writes to results/. */
export interface Report {
  bench: string;
  machine: { commit: string; date: string; cores: number; processor: string };
  comparisons: Record<string, Comparison>;
  findings?: Record<string, number>;
}

export const neededBenches = ["accept", "drain", "feedback", "cells"] as const;
export type Reports = Record<(typeof neededBenches)[number], Report>;

export function costsFrom({ accept, drain, feedback, cells }: Reports): MeasuredCosts {
  const one = (part: string) => medianOf(cells, /sends per second/, "one cell", "cpu", part);
  const full = (report: Report, title: RegExp, part: string) => medianOf(report, title, "postern", "cpu", part);
  const ofEvents = (part: string) => eventsOfASend * full(feedback, /from SQS/, part);
  return {
    fullSpeed: {
      api: full(accept, /64 connections/, "node"),
      worker: full(drain, /slots/, "node") + ofEvents("node"),
      postgres: full(accept, /64 connections/, "postgres") + full(drain, /slots/, "postgres") + ofEvents("postgres"),
    },
    paced: {
      sendsPerSecond: Number.parseInt(titleOf(cells, /sends per second/), 10),
      cpu: { api: one("api"), worker: one("worker"), postgres: one("postgres") },
    },
    proxyCpuPer1000: medianOf(cells, /sends per second/, "one cell", "notes", "proxyCpu"),
    walBytes: medianOf(cells, /sends per second/, "one cell", "notes", "walBytes"),
    recordBytes: findingOf(cells, "bytes on disk per record"),
    contentBytes: findingOf(cells, "bytes on disk per content"),
  };
}

function medianOf(report: Report, title: RegExp, contender: string, member: "cpu" | "notes", part: string): number {
  const rounds = report.comparisons[titleOf(report, title)]?.rounds[contender] ?? [];
  return required(median(rounds.map((round) => round[member]?.[part] ?? Number.NaN)), report, `${contender} ${part}`);
}

function titleOf(report: Report, title: RegExp): string {
  const found = Object.keys(report.comparisons).find((each) => title.test(each));
  if (found === undefined) throw new Error(`${report.bench}.json has no comparison ${title.source}`);
  return found;
}

function findingOf(report: Report, name: string): number {
  return required(report.findings?.[name], report, name);
}

/** Throws for a missing figure, so that the table never shows NaN. */
function required(value: number | undefined, { bench }: Report, what: string): number {
  if (value === undefined || !Number.isFinite(value)) throw new Error(`${bench}.json does not have: ${what}`);
  return value;
}
