import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));

test("the suite is a black box: it imports only Node modules and its own files", () => {
  const files = globSync("**/*.ts", { cwd: folder }).filter((file) => !file.endsWith(".test.ts"));
  const imports = files.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/^(?:import|export)\b[^"'`;]*\bfrom\s*"([^"]+)"/gm)].map(
      ([, name = ""]) => ({ name, target: name.startsWith(".") ? join(folder, file, "..", name) : name }),
    ),
  );
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter(({ target }) => !target.startsWith("node:") && !target.startsWith(folder))).toEqual([]);
});
