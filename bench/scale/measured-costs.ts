import type { Comparison } from "../frame/compare.ts";
import { median } from "../frame/statistics.ts";
import { eventsOfASend } from "./limits-and-prices.ts";

/** Seconds of processor time for 1,000 sends, by part. */
export interface CpuPer1000 {
  api: number;
  worker: number;
  postgres: number;
}

export interface MeasuredCosts {
  /** The sum of `accept`, `drain` and `feedback`, each as fast as it went. */
  fullSpeed: CpuPer1000;
  /** The whole way at a modest pace, by `cells`. */
  paced: { sendsPerSecond: number; cpu: CpuPer1000 };
  proxyCpuPer1000: number;
  walBytes: number;
  /** On disk, indexes included: kept for good, and the sealed content of a mail of 2 KB. */
  recordBytes: number;
  contentBytes: number;
}

/** What a full run of a bench leaves in results/. */
export interface Report {
  bench: string;
  machine: { commit: string; date: string; cores: number; processor: string };
  comparisons: Record<string, Comparison>;
  findings?: Record<string, number>;
}

export const neededBenches = ["accept", "drain", "feedback", "cells"] as const;
export type Reports = Record<(typeof neededBenches)[number], Report>;

export function costsFrom({ accept, drain, feedback, cells }: Reports): MeasuredCosts {
  const one = (part: string) => medianOf(cells, /sends a second/, "one cell", "cpu", part);
  const full = (report: Report, title: RegExp, part: string) => medianOf(report, title, "postern", "cpu", part);
  const taken = (part: string) => eventsOfASend * full(feedback, /out of SQS/, part);
  return {
    fullSpeed: {
      api: full(accept, /64 connections/, "node"),
      worker: full(drain, /slots/, "node") + taken("node"),
      postgres: full(accept, /64 connections/, "postgres") + full(drain, /slots/, "postgres") + taken("postgres"),
    },
    paced: {
      sendsPerSecond: Number.parseInt(titleOf(cells, /sends a second/), 10),
      cpu: { api: one("api"), worker: one("worker"), postgres: one("postgres") },
    },
    proxyCpuPer1000: medianOf(cells, /sends a second/, "one cell", "notes", "proxyCpu"),
    walBytes: medianOf(cells, /sends a second/, "one cell", "notes", "walBytes"),
    recordBytes: findingOf(cells, "bytes of a record on disk"),
    contentBytes: findingOf(cells, "bytes of a content on disk"),
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

/** A figure that is not there must not become a hole in the table. */
function required(value: number | undefined, { bench }: Report, what: string): number {
  if (value === undefined || !Number.isFinite(value)) throw new Error(`${bench}.json does not have: ${what}`);
  return value;
}
