/**
 * The id of an attempt, from its time and from what it attempts: all results of one attempt have the same id. So a repeated settlement adds
 * no second row, and a late result replaces the "unknown" that an expired lease left.
 */
export function attemptId(attempt: string): string {
  const digest = `md5(${attempt}.delivery_id::text || ' ' || ${attempt}.attempt)`;
  return `(left(replace(first_id_at(${attempt}.attempted_at)::text, '-', ''), 12)
          || '7' || left(${digest}, 3) || '8' || right(${digest}, 15))::uuid`;
}
