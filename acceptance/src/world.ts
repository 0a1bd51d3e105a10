import { randomBytes } from "node:crypto";
import { type Account, logIn } from "./account.ts";
import { type Ask, createClient } from "./client.ts";
import { createScenes, type Scenes } from "./scenes.ts";
import type { Settings } from "./settings.ts";
import { createSimulatorView, type SimulatorView } from "./simulator-view.ts";

/** A sentence cannot be shown without something that was not given. */
export class NotGiven extends Error {
  constructor(option: string) {
    super(`needs ${option}`);
  }
}

export interface World {
  ask: Ask;
  admin: Account;
  /** The second account; a test that uses it cannot be shown without one. The same for what follows. */
  other(): Account;
  verifiedDomain(): string;
  failedDomain(): string;
  simulator(): SimulatorView;
  /** An address at the sandbox that nobody used before; its first part chooses what becomes of mail to it. */
  recipient(outcome: string): string;
  /** A domain name below the verified one that nobody has registered. */
  freshDomain(): string;
  scenes: Scenes;
  cleanUp(): Promise<string[]>;
}

export async function openWorld(settings: Settings): Promise<World> {
  const ask = createClient(settings.baseUrl);
  const admin = await logIn(ask, settings.admin);
  const other = settings.other && (await logIn(ask, settings.other));
  const simulator = settings.simulatorUrl === undefined ? undefined : createSimulatorView(settings.simulatorUrl);
  const run = randomBytes(4).toString("hex");
  let count = 0;
  const given =
    <Value>(value: Value | undefined, option: string) =>
    () => {
      if (value === undefined) throw new NotGiven(option);
      return value;
    };

  const verifiedDomain = given(settings.verifiedDomain, "--verified-domain");
  const world: Omit<World, "scenes"> = {
    ask,
    admin,
    other: given(other, "--other-email"),
    verifiedDomain,
    failedDomain: given(settings.failedDomain, "--failed-domain"),
    simulator: given(simulator, "--simulator-url"),
    recipient: (outcome) => `${outcome}+${run}-${++count}@sandbox.test`,
    freshDomain: () => `a${run}-${++count}.${verifiedDomain()}`,
    cleanUp: async () => {
      const isOurs = (address: string) => address.includes(`+${run}-`);
      return [...(await admin.cleanUp(isOurs)), ...((await other?.cleanUp(isOurs)) ?? [])];
    },
  };
  return { ...world, scenes: createScenes(world) };
}
