import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { configProblems } from "../test/config-problems.ts";
import { anEnvironment, aSecret } from "../test/test-config.ts";
import { readConfig, readDatabaseConfig } from "./config.ts";

const secretKeys = ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"] as const;

test("a secret is read from the file that <NAME>_FILE names, with or without a newline at its end", () => {
  const secret = aSecret("from-file");
  for (const ending of ["", "\n", "\r\n"]) {
    const env = anEnvironment({ CONTENT_KEY: undefined, CONTENT_KEY_FILE: aFile(secret + ending) });
    expect(readConfig(env).secrets.contentKey.current.id).toBe("from-file");
  }
});

test("the address of the database can also come from a file", () => {
  const file = aFile("postgres://postern:word@db.test/postern\n");
  expect(readDatabaseConfig({ DATABASE_URL_FILE: file }).database.url).toBe("postgres://postern:word@db.test/postern");
});

test("a secret given both directly and by file is refused", () => {
  expect(configProblems({ CONTENT_KEY_FILE: aFile(aSecret()) })).toEqual([
    "CONTENT_KEY and CONTENT_KEY_FILE are both set; keep one of them",
  ]);
});

test("an unreadable file is reported as one problem", () => {
  expect(configProblems({ CONTENT_KEY: undefined, CONTENT_KEY_FILE: "/nowhere/content-key" })).toEqual([
    "CONTENT_KEY_FILE names a file that cannot be read",
  ]);
});

test("migrations do not read the files of secrets they do not use", () => {
  const env = { DATABASE_URL: "postgres://db.test/postern", CONTENT_KEY_FILE: "/nowhere/content-key" };
  expect(readDatabaseConfig(env).database.url).toBe("postgres://db.test/postern");
});

const invalid = [
  ["without an id", aSecret("").slice(1)],
  ["with an empty id", aSecret("")],
  ["with an id in capitals", aSecret("K1")],
  ["with too few bytes", aSecret().slice(0, -1)],
  ["with too many bytes", `${aSecret()}A`],
  ["in plain base64", `k1:${"+/".repeat(21)}A`],
  ["of 32 zero bytes", `k1:${Buffer.alloc(32).toString("base64url")}`],
  ["of one short pattern", `k1:${Buffer.from("changeme".repeat(4)).toString("base64url")}`],
] as const;

test.for(invalid)("a secret %s is refused", ([, value]) => {
  for (const key of secretKeys) {
    expect(configProblems({ [key]: value })).toEqual([expect.stringMatching(`^${key} must be <id>:<32 random bytes`)]);
  }
});

test.for(secretKeys)("two generations of %s under one id are refused", (key) => {
  expect(configProblems({ [key]: aSecret("k7"), [`${key}_SECOND`]: aSecret("k7") })).toEqual([
    `${key} and ${key}_SECOND carry the same id; give each its own`,
  ]);
});

test.for(secretKeys)("the same %s under two ids is refused", (key) => {
  const [, text] = aSecret("k1").split(":");
  expect(configProblems({ [key]: `k1:${text}`, [`${key}_SECOND`]: `k2:${text}` })).toEqual([
    `${key} and ${key}_SECOND are the same secret under two ids`,
  ]);
});

test("a printed configuration shows no secret", () => {
  const env = anEnvironment({ API_KEY_PEPPER_SECOND: aSecret("k2") });
  const config = readConfig(env);
  const printed = JSON.stringify(config) + inspect(config, { depth: null, showHidden: true });
  for (const key of [...secretKeys, "API_KEY_PEPPER_SECOND"]) {
    const text = env[key]?.slice(3) ?? "";
    const bytes = Buffer.from(text, "base64url");
    for (const form of [text, bytes.toString("hex"), bytes.toString("base64")]) expect(printed).not.toContain(form);
  }
});

test("an error about the configuration contains no secret", () => {
  const [tooLong, repeated] = [`${aSecret()}AAAA`, aSecret()];
  const problems = configProblems({
    DATABASE_URL: "mysql://postern:hunter2@db.test/postern",
    API_KEY_PEPPER: tooLong,
    CONTENT_KEY: repeated,
    CONTENT_KEY_SECOND: repeated,
    TOKEN_SIGNING_KEY_FILE: aFile("seventeen-wrong-bytes"),
  }).join("\n");
  for (const leak of ["hunter2", tooLong.slice(3), repeated.slice(3), "seventeen"]) {
    expect(problems).not.toContain(leak);
  }
});

function aFile(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "postern-secret-")), "secret");
  writeFileSync(path, text);
  return path;
}
