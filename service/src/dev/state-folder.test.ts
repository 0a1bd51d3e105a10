import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStateFolder, readSettings, wipe, writeSettings, writeWhole } from "./state-folder.ts";

const newSecrets = () => ({ CONTENT_KEY: "made" });

test("the folder and its secrets are for their owner only", () => {
  const state = aState();
  writeSettings(state, readSettings(state, newSecrets));
  expect(statSync(state.path).mode & 0o777).toBe(0o700);
  expect(statSync(state.settings).mode & 0o777).toBe(0o600);
});

test("settings once written are found again, and secrets are made only once", () => {
  const state = aState();
  const settings = readSettings(state, newSecrets);
  writeSettings(state, { ...settings, testKey: "a key" });
  const found = readSettings(state, () => expect.fail("secrets were made a second time"));
  expect(found).toEqual({ ...settings, testKey: "a key" });
});

test("a write that died half-way leaves the former text, and the next one succeeds", () => {
  const state = aState();
  writeWhole(state.env, "before");
  writeFileSync(`${state.env}.new`, "hal");
  writeWhole(state.env, "after");
  expect(readFileSync(state.env, "utf8")).toBe("after");
  expect(readdirSync(state.path)).not.toContain("env.new");
});

test("wiping takes what `postern dev` made and leaves what others put there", () => {
  const state = aState();
  writeFileSync(join(state.path, "thesis.txt"), "years of work");
  writeSettings(state, readSettings(state, newSecrets));
  mkdirSync(join(state.postgres, "data"), { recursive: true });
  wipe(state);
  expect(existsSync(state.postgres)).toBe(false);
  expect(existsSync(state.settings)).toBe(false);
  expect(readdirSync(state.path)).toContain("thesis.txt");
});

test("a folder that cannot be made is refused with a sentence that says what to do", () => {
  const file = join(mkdtempSync(join(tmpdir(), "postern-state-")), "file");
  writeFileSync(file, "");
  expect(() => openStateFolder(join(file, "state"))).toThrow(/cannot be used .*--state DIR/);
});

function aState() {
  return openStateFolder(join(mkdtempSync(join(tmpdir(), "postern-state-")), "deep", "state"));
}
