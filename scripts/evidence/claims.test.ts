import { expect, test } from "vitest";
import { listClaims } from "./claims.ts";
import { coveredFiles } from "./covered-code.ts";
import { repository } from "./measurement.ts";

const claims = await listClaims();

test.for(claims)("$key covers paths that exist, and each has code", ({ covers }) => {
  expect(covers.length).toBeGreaterThan(0);
  for (const path of covers) expect(coveredFiles(repository, [path]), path).not.toEqual([]);
});

test("no two claims have the same key", () => {
  expect(new Set(claims.map(({ key }) => key)).size).toBe(claims.length);
});
