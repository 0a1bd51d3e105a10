import { expect } from "vitest";
import { type Environment, readConfig } from "../src/config.ts";
import { ConfigurationError } from "../src/errors.ts";
import { anEnvironment } from "./test-config.ts";

/** The problems of a valid environment with these values changed. */
export function configProblems(overrides: Environment): string[] {
  try {
    readConfig(anEnvironment(overrides));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const problems = [...error.message.matchAll(/^ {2}- (.+)$/gm)].map(([, problem]) => problem ?? "");
    expect(error.message).toMatch(new RegExp(`^${problems.length} problems? in the configuration:`));
    return problems;
  }
  throw new Error("the configuration was accepted");
}
