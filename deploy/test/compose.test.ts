import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { findConflicts } from "../../service/src/config-conflicts.ts";
import { composeFiles, posternServices, readComposeFile, withVariables } from "./compose-file.ts";
import { readImage, root } from "./container-file.ts";
import { isKnownSetting, knownCommands } from "./known-names.ts";

/** The longest time that a process takes to stop by itself; see service/src/processes/run-process.ts. */
const drainSeconds = 25;

const commands = knownCommands();

describe.for(composeFiles)("%s", (name) => {
  const compose = readComposeFile(name);
  const ours = posternServices(compose);

  test("has an API, a worker and a migration with existing commands", () => {
    const started = ours.map(([, { command }]) => command?.[0] ?? "");
    expect(new Set(started)).toEqual(new Set(["api", "worker", "migrate"]));
    expect(started.filter((command) => !commands.includes(command))).toEqual([]);
  });

  test.for(ours)("%s is read-only, has no capabilities, and has enough time to stop", ([, service]) => {
    expect(service).toMatchObject({
      read_only: true,
      init: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      restart: service.command?.[0] === "migrate" ? "no" : "unless-stopped",
    });
    expect(service).not.toHaveProperty("privileged");
    expect(service).not.toHaveProperty("user");
    expect(Number.parseInt(String(service.stop_grace_period), 10)).toBeGreaterThan(drainSeconds);
  });

  test("uses only existing settings, and defines every secret that it passes as a file", () => {
    const names = ours.flatMap(([, { environment }]) => Object.keys(environment ?? {}));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((setting) => !isKnownSetting(setting))).toEqual([]);
    for (const [, { environment = {}, secrets = [] }] of ours) {
      const files = Object.entries(environment).filter(([setting]) => setting.endsWith("_FILE"));
      expect(files.map(([, path]) => path)).toEqual(secrets.map((secret) => `/run/secrets/${secret}`));
      expect(secrets.filter((secret) => compose.secrets?.[secret] === undefined)).toEqual([]);
    }
  });

  test("gives each process only the secrets that it needs", () => {
    for (const [service, { command = [], environment = {}, secrets = [] }] of ours) {
      const given = Object.keys(environment).map((setting) => setting.replace(/_FILE$/, ""));
      const isApi = command[0] === "api";
      expect(given.includes("API_KEY_PEPPER") && given.includes("TOKEN_SIGNING_KEY"), service).toBe(isApi);
      if (isApi) continue;
      expect(
        [...given, ...secrets].filter((setting) => /PEPPER|SIGNING/.test(setting)),
        service,
      ).toEqual([]);
    }
  });

  test("has no default passwords or secrets: a missing one stops it", () => {
    for (const [, { environment = {} }] of Object.entries(compose.services)) {
      for (const [setting, value] of Object.entries(environment)) {
        if (setting.endsWith("_FILE") || !/PASSWORD|PEPPER|_KEY$|DATABASE_URL/.test(setting)) continue;
        const given = [...value.matchAll(/\$\{\w+(:[?-])(.*?)\}/g)];
        expect(given, `${setting} must come from a variable`).toHaveLength(1);
        // AWS keys are optional, because the machine may have a role; Postern's secrets are required.
        expect(given[0]?.[1] === ":?" || (setting.startsWith("AWS_") && given[0]?.[2] === "")).toBe(true);
      }
    }
  });

  test("publishes the API on loopback only, and does not publish the operations port", () => {
    const ports = Object.values(compose.services).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(0);
    const apiPort = readImage().environment.PORT;
    expect(ports.filter((port) => !(port.startsWith("127.0.0.1:") && port.endsWith(`:${apiPort}`)))).toEqual([]);
  });
});

describe.for([
  ["compose.evaluation.yaml", "compose.evaluation.simulator.yaml"],
  ["compose.production.yaml", "compose.production.simulator.yaml"],
] as const)("%s with %s", ([base, override]) => {
  const { services } = readComposeFile(override);

  test("every API and worker uses the simulator, with existing settings that fit together", () => {
    const longRunning = posternServices(readComposeFile(base)).filter(([, { command }]) => command?.[0] !== "migrate");
    for (const [name, service] of longRunning) {
      const merged = { ...service.environment, ...services[name]?.environment };
      expect(Object.keys(merged).filter((setting) => !isKnownSetting(setting))).toEqual([]);
      const given = { ...merged, AWS_REGION: "eu-central-1" };
      const values = Object.entries(given).map(([setting, value]) => [setting, value.replace(/^\$\{.*:-\}$/, "")]);
      const settings = Object.fromEntries(values.filter(([, value]) => value !== ""));
      expect(settings.POSTERN_PROVIDER).toBe("simulator");
      expect(findConflicts(settings)).toEqual([]);
    }
    expect(Object.keys(services).toSorted()).toEqual([...longRunning.map(([name]) => name), "simulator"].toSorted());
  });

  test("the simulator is confined, and published on loopback only", () => {
    expect(services.simulator).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      pull_policy: "never",
      ports: [expect.stringMatching(/^127\.0\.0\.1:/)],
    });
  });
});

test("the health check of a production worker stops it when it is not live, and only then", async () => {
  const { worker } = readComposeFile("compose.production.yaml").services;
  const [, , , program = ""] = worker?.healthcheck?.test ?? [];
  const signals: number[] = [];
  const run = async (live: number, health: number) => {
    const exit = Promise.withResolvers<number>();
    const process = { env: { OPERATIONS_PORT: "3001" }, kill: (pid: number) => signals.push(pid), exit: exit.resolve };
    const statusOf = (url: string) =>
      ({ "http://127.0.0.1:3001/live": live, "http://127.0.0.1:3001/health": health })[url];
    const fetch = async (url: string) => ({ status: statusOf(url), ok: statusOf(url) === 200 });
    runInNewContext(program, { process, fetch });
    return exit.promise;
  };
  expect([await run(200, 200), await run(200, 503), signals]).toEqual([0, 1, []]);
  expect([await run(503, 200), signals]).toEqual([1, [1]]);
});

test("the health check of a production worker stops it without waiting for /health", async () => {
  const { worker } = readComposeFile("compose.production.yaml").services;
  const [, , , program = ""] = worker?.healthcheck?.test ?? [];
  const signalled = Promise.withResolvers<string>();
  const process = { env: {}, kill: (_pid: number, signal: string) => signalled.resolve(signal) };
  const fetch = (url: string) =>
    url.endsWith("/live") ? Promise.resolve({ status: 503, ok: false }) : new Promise(() => undefined);
  runInNewContext(program, { process, fetch });
  expect(await signalled.promise).toBe("SIGTERM");
}, 2_000);

test("the guide names only existing compose files, services and commands", () => {
  const guide = readFileSync(join(root, "deploy/README.md"), "utf8");
  const named = [...guide.matchAll(/^ *docker compose -f (\S+) (run --rm|up -d(?: --wait)?) ?(\S*) ?(\S*)/gm)];
  expect(named.length).toBeGreaterThan(8);
  for (const [line, file = "", , service = "", command = ""] of named) {
    const { services } = readComposeFile(composeFiles.find((known) => known === file) ?? "compose.production.yaml");
    expect(composeFiles, line).toContain(file);
    if (service !== "") expect(Object.keys(services), line).toContain(service);
    if (command !== "" && !command.startsWith("#")) expect(commands, line).toContain(command);
  }
});

test("variables are substituted as by Docker Compose", () => {
  expect(withVariables(`a\${X:-b}c\${Y:?no Y}`, { Y: "1" })).toBe("abc1");
  expect(withVariables(`\${X:-}`, { X: "2" })).toBe("2");
  expect(() => withVariables(`\${Y:?no Y}`, { Y: "" })).toThrow("Y is missing: no Y");
});
