import { parseArgs } from "node:util";
import type { RunOptions } from "./scenarios/scenario.ts";
import { type ScenarioName, scenarios } from "./scenarios/scenarios.ts";

export interface ChaosOptions extends RunOptions {
  scenario: ScenarioName;
  keep: boolean;
}

const names = Object.keys(scenarios);
/** `--worker-kills 200` reads better than `--faults 200`; both mean the same. */
const faultNames = ["faults", ...names];

const valued = { type: "string" } as const;
const flags = {
  sends: valued,
  rate: valued,
  seed: valued,
  "fault-seconds": valued,
  "send-events": valued,
  policy: valued,
  keep: { type: "boolean" } as const,
  help: { type: "boolean" } as const,
  ...Object.fromEntries(faultNames.map((name) => [name, valued])),
};

const help = `Usage: npm run chaos -- [SCENARIO] [options]

${Object.entries(scenarios)
  .map(([name, { promise }]) => `  ${name.padEnd(18)}${promise}`)
  .join("\n")}

  --sends N              sends of the load
  --rate N               sends a second
  --faults N             how often the fault is made; also by the scenario's name, such as --worker-kills N
  --fault-seconds N      how long each fault of the network lasts (30)
  --send-events on|off|none   what the provider tells: all, nothing of hand-overs, nothing at all (on)
  --policy resend|fail   what becomes of a send in doubt (resend)
  --seed N               repeats the random decisions of a run
  --keep                 keeps logs and ledger of a run that passed
`;

/** Undefined when there is nothing to run; what to do instead has been said. */
export function readCommandLine(args: string[]): ChaosOptions | undefined {
  try {
    const { values, positionals } = parseArgs({ args, options: flags, allowPositionals: true });
    const [scenario = "worker-kills"] = positionals;
    if (values.help === true || !isName(scenario)) {
      console.log(isName(scenario) ? help : `There is no scenario "${scenario}".\n\n${help}`);
      return undefined;
    }
    return optionsFrom(scenario, values);
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    return undefined;
  }
}

function optionsFrom(scenario: ScenarioName, given: Record<string, string | boolean | undefined>): ChaosOptions {
  const { usual } = scenarios[scenario];
  const number = (name: string, otherwise: number) => numberOf(name, given[name], otherwise);
  return {
    scenario,
    seed: number("seed", Date.now() % 1_000_000),
    sends: number("sends", usual.sends),
    perSecond: number("rate", usual.perSecond),
    faults: number(scenario, number("faults", usual.faults)),
    faultSeconds: number("fault-seconds", 30),
    sendEvents: oneOf("send-events", given["send-events"] ?? "on", ["on", "off", "none"]),
    policy: oneOf("policy", given.policy ?? "resend", ["resend", "fail"]),
    keep: given.keep === true,
  };
}

function isName(text: string): text is ScenarioName {
  return names.includes(text);
}

function numberOf(name: string, given: string | boolean | undefined, otherwise: number): number {
  const number = given === undefined ? otherwise : Number(given);
  if (Number.isNaN(number) || number < 0) throw new Error(`--${name} must be a number, not "${given}"`);
  return number;
}

function oneOf<const Word extends string>(name: string, given: string | boolean, words: Word[]): Word {
  const found = words.find((word) => word === given);
  if (found === undefined) throw new Error(`--${name} must be ${words.join(" or ")}, not "${given}"`);
  return found;
}
