import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deleteState, openStateFolder, readSettings, writeAtomically, writeSettings } from "./state-folder.ts";

const newSecrets = () => ({ CONTENT_KEY: "made" });

test("only the owner can read the folder and its secrets", () => {
  const state = aState();
  writeSettings(state, readSettings(state, newSecrets));
  expect(statSync(state.path).mode & 0o777).toBe(0o700);
  expect(statSync(state.settings).mode & 0o777).toBe(0o600);
});

test("saved settings are read back, and secrets are generated only once", () => {
  const state = aState();
  const settings = readSettings(state, newSecrets);
  writeSettings(state, { ...settings, testKey: "a key" });
  const found = readSettings(state, () => expect.fail("secrets were generated a second time"));
  expect(found).toEqual({ ...settings, testKey: "a key" });
});

test("an interrupted write leaves the old text, and the next write succeeds", () => {
  const state = aState();
  writeAtomically(state.env, "before");
  writeFileSync(`${state.env}.new`, "hal");
  writeAtomically(state.env, "after");
  expect(readFileSync(state.env, "utf8")).toBe("after");
  expect(readdirSync(state.path)).not.toContain("env.new");
});

test("deleting the state removes the files of `postern dev` and keeps all other files", () => {
  const state = aState();
  writeFileSync(join(state.path, "thesis.txt"), "years of work");
  writeSettings(state, readSettings(state, newSecrets));
  mkdirSync(join(state.postgres, "data"), { recursive: true });
  deleteState(state);
  expect(existsSync(state.postgres)).toBe(false);
  expect(existsSync(state.settings)).toBe(false);
  expect(readdirSync(state.path)).toContain("thesis.txt");
});

test("a folder that cannot be created is refused with a message that says what to do", () => {
  const file = join(mkdtempSync(join(tmpdir(), "postern-state-")), "file");
  writeFileSync(file, "");
  expect(() => openStateFolder(join(file, "state"))).toThrow(/cannot be used .*--state DIR/);
});

function aState() {
  return openStateFolder(join(mkdtempSync(join(tmpdir(), "postern-state-")), "deep", "state"));
}
