import { execFileSync } from "node:child_process";
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import * as config from "../../service/src/config.ts";
import { aSecret } from "../../service/test/test-config.ts";
import { root } from "./container-file.ts";
import { isKnownSetting, knownCommands } from "./known-names.ts";

const folder = join(root, "deploy/systemd");
const shared = readUnit(join(folder, "postern-.service.d/confinement.conf"));
const units = globSync("*.service", { cwd: folder }).toSorted();

test("each role has a unit", () => {
  expect(units.map((unit) => basename(unit))).toEqual([
    "postern-api@.service",
    "postern-migrate.service",
    "postern-worker@.service",
  ]);
});

describe.for(units)("%s", (name) => {
  const unit = readUnit(join(folder, name));
  const values = (key: string) => [...(shared.get(key) ?? []), ...(unit.get(key) ?? [])];

  test("starts the role in its name", () => {
    const role = /^postern-(\w+)/.exec(name)?.[1] ?? "";
    expect(knownCommands()).toContain(role);
    expect(values("ExecStart")).toEqual([`/usr/bin/node /opt/postern/current/service/src/cli/start.cjs ${role}`]);
  });

  test("uses only existing settings, and loads every secret file as a credential", () => {
    const settings = values("Environment").flatMap((line) => line.split(" "));
    const names = settings.map((setting) => setting.replace(/=.*/, ""));
    expect(names.filter((setting) => !isKnownSetting(setting))).toEqual([]);
    const files = settings.filter((setting) => /^\w+_FILE=/.test(setting)).toSorted();
    const loaded = values("LoadCredential").map((line) => line.replace(/:.*/, ""));
    expect(files).toEqual(loaded.map((secret) => `${secret}_FILE=%d/${secret}`).toSorted());
    expect(values("LoadCredential")).toEqual(loaded.map((secret) => `${secret}:/etc/postern/secrets/${secret}`));
  });

  test("loads only the secrets that its role needs", () => {
    const loaded = values("LoadCredential").map((line) => line.replace(/:.*/, ""));
    const needed = name.startsWith("postern-api") ? ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"] : [];
    const content = name.startsWith("postern-worker") ? ["CONTENT_KEY"] : needed;
    expect(loaded.filter((secret) => secret !== "DATABASE_URL").toSorted()).toEqual(content);
  });

  test("does not run as root, cannot write to disk, and cannot gain privileges", () => {
    expect(values("DynamicUser")).toEqual(["yes"]);
    expect(values("ProtectSystem")).toEqual(["strict"]);
    expect(values("NoNewPrivileges")).toEqual(["yes"]);
    expect(values("CapabilityBoundingSet")).toEqual([""]);
  });

  test.skipIf(name === "postern-migrate.service")(
    "restarts unless a setting is wrong, and has enough time to stop",
    () => {
      expect(values("Restart")).toEqual(["on-failure"]);
      expect(values("RestartPreventExitStatus")).toEqual(["78"]);
      expect(Number(values("TimeoutStopSec")[0])).toBeGreaterThan(25);
    },
  );
});

describe("the command postern", () => {
  test("gives every admin command the settings and secrets that it reads", () => {
    const files = globSync("service/src/cli/{on-database,admin/*}.ts", { cwd: root, exclude: ["**/*.test.ts"] });
    const sources = files.map((file) => readFileSync(join(root, file), "utf8"));
    const readers = new Set(sources.flatMap((source) => source.match(/\bread\w+(?=\(environment\))/g) ?? []));
    expect(readers).toContain("readContentKeys");
    const environment = environmentOfCommand(["CONTENT_KEY"]);
    for (const reader of readers) {
      const read = Reflect.get(config, reader) as (env: Record<string, string>) => unknown;
      expect(() => read(environment), reader).not.toThrow();
    }
    expect(Object.keys(environment).filter((name) => name.endsWith("_FILE") && !isKnownSetting(name))).toEqual([]);
  });

  test("gives both secrets of a rotation", () => {
    const environment = environmentOfCommand(["CONTENT_KEY", "CONTENT_KEY_SECOND"]);
    expect(config.readContentKeys(environment)).toMatchObject({
      current: { id: "content-key" },
      second: { id: "content-key-second" },
    });
  });
});

/** Runs the script with its folders in a temporary one and a `node` that prints its environment. */
function environmentOfCommand(contentKeys: string[]): Record<string, string> {
  const settings = mkdtempSync(join(tmpdir(), "postern-command-"));
  onTestFinished(() => rmSync(settings, { recursive: true }));
  const [secrets, node] = [join(settings, "secrets"), join(settings, "node")];
  mkdirSync(secrets);
  writeFileSync(join(settings, "postern.env"), "PUBLIC_URL=https://mail.acme.io\nAWS_REGION=eu-central-1\n");
  writeFileSync(join(secrets, "DATABASE_URL"), "postgres://h/d");
  for (const name of ["API_KEY_PEPPER", "TOKEN_SIGNING_KEY", ...contentKeys]) {
    writeFileSync(join(secrets, name), aSecret(name.toLowerCase().replaceAll("_", "-")));
  }
  writeFileSync(node, "#!/bin/sh\nenv -0\n");
  chmodSync(node, 0o755);
  const script = readFileSync(join(root, "deploy/systemd/postern"), "utf8")
    .replaceAll("/etc/postern", settings)
    .replaceAll("/usr/bin/node", node);
  const output = execFileSync("sh", ["-c", script, "postern", "admin"], { encoding: "utf8", env: {} });
  return Object.fromEntries(output.split("\0").flatMap((line) => (line === "" ? [] : [nameAndValue(line)])));
}

function nameAndValue(line: string): [string, string] {
  const end = line.indexOf("=");
  return [line.slice(0, end), line.slice(end + 1)];
}

function readUnit(path: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const [, key, value = ""] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined) values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}
