import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
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
    expect(values("ExecStart")).toEqual([`/usr/bin/node /opt/postern/current/service/src/cli/postern.ts ${role}`]);
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

function readUnit(path: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const [, key, value = ""] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined) values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}
