/**
 * SQL: `time` lies at most `seconds` in the past. A time slightly ahead of `now()` counts too, because a statement that began
 * later may have written it; a time far ahead does not, because then the clock of the server was set back.
 */
export function isWithin(time: string, seconds: string): string {
  return `${time} between now() - make_interval(secs => ${seconds}) and now() + interval '10 seconds'`;
}
