import { withDeadline } from "../deadline.ts";

/**
 * Prometheus gives up a scrape after 10 seconds (deploy/monitoring), and would then show a process that does not answer instead of a
 * database that does not. All metrics of a scrape are read at the same time, so this is the deadline of the whole scrape.
 */
const scrapeWithinMs = 4_000;

/** Rejects when the read takes longer than a scrape may: its metrics are missing in that scrape. */
export function withinScrape<Result>(read: Promise<Result>): Promise<Result> {
  return withDeadline(scrapeWithinMs, "the read of a metric", read);
}
