import { parseArgs } from "node:util";
import { fullFaultSeconds } from "./claims.ts";
import type { RunOptions } from "./scenarios/scenario.ts";
import { type ScenarioName, scenarios } from "./scenarios/scenarios.ts";

export interface ChaosOptions extends RunOptions {
  scenario: ScenarioName;
  keep: boolean;
}

const names = Object.keys(scenarios);
/** `--worker-kills 200` is an alias of `--faults 200`. */
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
  --rate N               sends per second
  --faults N             number of faults; also under the scenario's name, such as --worker-kills N
  --fault-seconds N      duration of each network fault (30)
  --send-events on|off|none   events that the provider reports: all, no Send events, none (on)
  --policy resend|fail   how a send in doubt is resolved without evidence (resend)
  --seed N               repeats the random choices of a run
  --keep                 keeps the logs and the ledger of a run that passed
`;

/** Returns undefined after printing the help: on request, or because an argument is wrong. */
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
  const { defaults } = scenarios[scenario];
  const number = (name: string, fallback: number) => numberOf(name, given[name], fallback);
  return {
    scenario,
    seed: number("seed", Date.now() % 1_000_000),
    sends: number("sends", defaults.sends),
    perSecond: number("rate", defaults.perSecond),
    faults: number(scenario, number("faults", defaults.faults)),
    faultSeconds: number("fault-seconds", fullFaultSeconds),
    sendEvents: oneOf("send-events", given["send-events"] ?? "on", ["on", "off", "none"]),
    policy: oneOf("policy", given.policy ?? "resend", ["resend", "fail"]),
    keep: given.keep === true,
  };
}

/** The options that differ from the defaults of the scenario. */
export function sizeText(name: ScenarioName, { sends, perSecond, faults }: RunOptions): string {
  const { defaults } = scenarios[name];
  const given = [
    ["sends", sends, defaults.sends],
    ["rate", perSecond, defaults.perSecond],
    ["faults", faults, defaults.faults],
  ] as const;
  return given.map(([flag, value, usual]) => (value === usual ? "" : ` --${flag} ${value}`)).join("");
}

function isName(text: string): text is ScenarioName {
  return names.includes(text);
}

function numberOf(name: string, given: string | boolean | undefined, fallback: number): number {
  const number = given === undefined ? fallback : Number(given);
  if (Number.isNaN(number) || number < 0) throw new Error(`--${name} must be a number, not "${given}"`);
  return number;
}

function oneOf<const Word extends string>(name: string, given: string | boolean, words: Word[]): Word {
  const found = words.find((word) => word === given);
  if (found === undefined) throw new Error(`--${name} must be ${words.join(" or ")}, not "${given}"`);
  return found;
}
