import { type Finding, note, ok, problem } from "../setup/finding.ts";

const timeoutMs = 5_000;
/** AWS refuses requests whose time differs by more than five minutes. */
const maxOffsetSeconds = 60;

/** Compares the clock with the Date header of any answer of SES, which needs no credentials. */
export async function checkClock(endpoint: string): Promise<Finding[]> {
  const offsetSeconds = await readOffset(endpoint);
  if (offsetSeconds === undefined) {
    return [note("clock", "the clock cannot be compared with the time of AWS", "check AWS_REGION and the network")];
  }
  const amount = `${Math.abs(Math.round(offsetSeconds))} seconds`;
  if (Math.abs(offsetSeconds) <= maxOffsetSeconds) return [ok("clock", "the clock agrees with the time of AWS")];
  return [
    problem(
      "clock",
      `the clock of this machine is ${amount} ${offsetSeconds > 0 ? "ahead of" : "behind"} the time of AWS`,
      "correct it with NTP (`timedatectl set-ntp true`): AWS refuses requests that are five minutes off",
    ),
  ];
}

async function readOffset(endpoint: string): Promise<number | undefined> {
  const startedAt = Date.now();
  try {
    const { headers } = await fetch(endpoint, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const serverTime = Date.parse(headers.get("date") ?? "");
    const middle = (startedAt + Date.now()) / 2;
    return Number.isNaN(serverTime) ? undefined : (middle - serverTime) / 1000;
  } catch {
    return undefined;
  }
}
