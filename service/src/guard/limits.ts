/**
 * SES reviews an AWS account above 5 % bounces or 0.1 % complaints, and may pause all its sending above 10 % or 0.5 %. The guard
 * warns at the first line and holds one account before it takes the whole AWS account over the second.
 */
export const reviewLine = { bounceRate: 0.05, complaintRate: 0.001 };
export const pauseLine = { bounceRate: 0.1, complaintRate: 0.005 };

/** Fewer outcomes are no basis for a rate. */
export const minOutcomes = 200;
/** A hold needs this many as well: a handful of bad addresses is an accident. */
export const minHardBounces = 20;
export const minComplaints = 5;

/** Days by UTC, today included. */
export const windowDays = 7;

export interface GuardCounts {
  /** Recipients of live mail that was delivered or bounced permanently. */
  outcomes: number;
  hardBounces: number;
  complaints: number;
}

/** SQL: the first day that counts. */
export const firstDay = `((now() at time zone 'utc')::date - ${windowDays - 1})`;

/** SQL over the columns of guard_counts, summed up: the rate is above this line. */
export function isAbove(line: typeof reviewLine): { bounces: string; complaints: string } {
  const isEnough = `outcomes >= ${minOutcomes}`;
  return {
    bounces: `(${isEnough} and hard_bounces > ${line.bounceRate} * outcomes)`,
    complaints: `(${isEnough} and complaints > ${line.complaintRate} * outcomes)`,
  };
}

/** The key of `guard_counts`. An equal day or epoch alone fits most rows, so a join by them would compare every pair of rows. */
export function keyColumns(table: string): string[] {
  return [`${table}.account_id`, `${table}.epoch`, `${table}.day`];
}
