import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createBuildContext } from "./build-context.ts";
import { ofStage, readImage, readStages, root } from "./container-file.ts";
import { isKnownSetting, knownCommands } from "./known-names.ts";

const image = readImage();

describe("the image", () => {
  test("runs as a non-root user with a numeric id", () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.stages.at(-1)?.findLastIndex(({ name }) => ["RUN", "COPY", "WORKDIR"].includes(name))).toBeLessThan(
      image.stages.at(-1)?.findIndex(({ name }) => name === "USER") ?? -1,
    );
  });

  test("starts node without a shell, so that SIGTERM reaches it, with an existing role", () => {
    expect(image.entrypoint).toEqual(["node", "/app/service/src/cli/start.cjs"]);
    expect(knownCommands()).toEqual(expect.arrayContaining(["api", "worker", "migrate"]));
    expect(knownCommands()).toContain(image.command[0]);
    expect(image.stopSignal).toBe("SIGTERM");
  });

  test("has a health check that uses the port of its own settings", () => {
    expect(image.healthCommand.join(" ")).toContain("process.env.OPERATIONS_PORT");
    expect(image.environment.OPERATIONS_PORT).toMatch(/^\d+$/);
    expect(Object.keys(image.environment).filter((name) => !isKnownSetting(name))).toEqual([]);
  });

  test("has no secrets in its settings, and downloads nothing with ADD", () => {
    expect(Object.keys(image.environment).filter((name) => /URL|KEY|PEPPER|PASSWORD|SECRET/.test(name))).toEqual([]);
    expect(image.stages.flatMap((stage) => ofStage(stage, "ADD"))).toEqual([]);
    expect(image.stages.flatMap((stage) => ofStage(stage, "ARG"))).toEqual([]);
  });

  test("is built in stages from one tagged base image, and the last stage runs no command", () => {
    expect(image.stages.length).toBeGreaterThan(1);
    const bases = image.stages.map(([from]) => from?.rest.replace(/ AS .*/, ""));
    expect(new Set(bases)).toEqual(new Set([`\${NODE_IMAGE}`]));
    expect(ofStage(image.stages.at(-1) ?? [], "RUN")).toEqual([]);
  });
});

describe("the build context", () => {
  const context = createBuildContext();

  test("holds everything that the Dockerfile copies", () => {
    const sources = image.stages
      .flatMap((stage) => ofStage(stage, "COPY"))
      .filter((rest) => !rest.startsWith("--from"))
      .flatMap((rest) => rest.split(/\s+/).slice(0, -1));
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    expect(sources.filter((source) => context.under(source.replace(/\/$/, "")).length === 0)).toEqual([]);
  });

  test("holds no settings, no git history, no tests and no part of the simulator", () => {
    const unwanted = [".env", "deploy/.env", "deploy/secrets/CONTENT_KEY", "service/.env", ".git/config"];
    const tests = ["service/src/config.test.ts", "service/test/builders.ts", "service/proofs/until.ts"];
    const simulator = [
      "ses-simulator/package.json",
      "node_modules/zod/package.json",
      "service/node_modules/x/index.js",
    ];
    expect([...unwanted, ...tests, ...simulator].filter((path) => context.has(path))).toEqual([]);
    expect(context.has("service/src/config.ts")).toBe(true);
  });
});

test("the Dockerfile reader removes comments and joins continued lines, as container engines do", () => {
  const text = "ARG A=1\nFROM a AS one\n# RUN no\nRUN x \\\n  # inside\n  && y\nFROM b\nUSER 7:7\n";
  expect(readStages(text)).toEqual([
    [
      { name: "FROM", rest: "a AS one" },
      { name: "RUN", rest: "x && y" },
    ],
    [
      { name: "FROM", rest: "b" },
      { name: "USER", rest: "7:7" },
    ],
  ]);
});
