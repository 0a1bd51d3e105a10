import type { Domain } from "../../api/api-types.ts";
import { capital, listWords, numberWord } from "./number-words.ts";
import type { RecordState, ShownRecord } from "./record-state.ts";

/** The answer of the page: whether the domain can send, and what its owner has to do. */
export function domainSentence(domain: Domain, records: ShownRecord[]): { lead: string; rest: string } {
  const { domain_name: name, verification_status: status } = domain;
  const faults = describeFaults(records);
  switch (status) {
    case "Success":
      return faults === undefined
        ? { lead: `${name} is verified.`, rest: "You can send from every address of this domain." }
        : {
            lead: `${name} is verified, but ${faults}.`,
            rest: "Restore it: when the checks fail for 72 hours, Postern stops sending from this domain.",
          };
    case "Pending":
      return {
        lead: `${name} is not verified${faults === undefined ? " yet." : `: ${faults}.`}`,
        rest: nextStep(domain, records),
      };
    case "Failed":
      return {
        lead: `${name} failed the verification${faults === undefined ? "." : `: ${faults}.`}`,
        rest: `${nextStep(domain, records)} Postern checks it every hour and accepts it as soon as the records are right.`,
      };
  }
}

const faultWords: [RecordState, string][] = [
  ["wrong", "wrong"],
  ["missing", "missing"],
];

/** "one of four records is wrong", "of four records, one is wrong and two are missing" */
function describeFaults(records: ShownRecord[]): string | undefined {
  const total = numberWord(records.length);
  const found = faultWords
    .map(([state, word]) => ({ word, count: records.filter((record) => record.state === state).length }))
    .filter(({ count }) => count > 0);
  const [only] = found;
  if (only === undefined) return undefined;
  if (found.length === 1) {
    if (only.count === records.length) return `all ${total} records are ${only.word}`;
    return `${numberWord(only.count)} of ${total} records ${only.count === 1 ? "is" : "are"} ${only.word}`;
  }
  const words = found.map(({ word, count }) => `${numberWord(count)} ${count === 1 ? "is" : "are"} ${word}`);
  return `of ${total} records, ${listWords(words)}`;
}

function nextStep({ last_checked_at: checkedAt }: Domain, records: ShownRecord[]): string {
  const count = (state: RecordState) => records.filter((record) => record.state === state).length;
  const total = numberWord(records.length);
  if (count("found") === records.length) {
    return `All ${total} records are found. SES confirms DKIM on its own, usually within minutes; no action is needed.`;
  }
  const steps: string[] = [];
  if (count("wrong") > 0) steps.push(`correct ${count("wrong") === 1 ? "it" : "them"} at your DNS provider`);
  if (count("missing") > 0) {
    const what = count("wrong") > 0 ? "the missing" : count("missing") === records.length ? "all" : "the missing";
    steps.push(`publish ${what} ${count("missing") === 1 ? "record" : "records"} below`);
  }
  if (steps.length > 0) return `${capital(listWords(steps))}${waitingPart(count("waiting"))}.`;
  if (count("waiting") > 0) {
    return `${capital(numberWord(count("waiting")))} of ${total} records ${count("waiting") === 1 ? "is" : "are"} published and not visible to Postern yet; no action is needed.`;
  }
  if (checkedAt === null)
    return `Publish the ${total} records below at your DNS provider. Postern checks them on its own.`;
  return "DNS did not answer for some records, which does not count against the domain. The next check asks again.";
}

function waitingPart(count: number): string {
  if (count === 0) return "";
  return `; ${numberWord(count)} more ${count === 1 ? "is" : "are"} published and ${count === 1 ? "needs" : "need"} no action`;
}
