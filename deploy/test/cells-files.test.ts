import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environmentSchema } from "../../service/src/environment-schema.ts";
import { root } from "./container-file.ts";

const read = (name: string) => readFileSync(join(root, "deploy/cells", name), "utf8");
const sections = new Map(
  read("haproxy.cfg")
    .split(/^backend /m)
    .slice(1)
    .map((section) => [section.split("\n", 1)[0] ?? "", section]),
);
const cells = [...sections.keys()].filter((name) => name !== "any_cell");

function entries(name: string): [string, string][] {
  const lines = read(name).split("\n");
  return lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [from = "", to = ""] = line.split(" ");
      return [from, to];
    });
}

// HAProxy does not look whether what a map says exists; such a request would go to any cell and be refused there.
test("both maps lead to every cell of the configuration and to nothing else", () => {
  expect(cells.length).toBeGreaterThan(1);
  for (const map of ["cells.map", "hosts.map"]) expect(entries(map).map(([, backend]) => backend)).toEqual(cells);
});

test("codes are such that a cell can have them", () => {
  for (const [code] of entries("cells.map"))
    expect(environmentSchema.shape.CELL_CODE.safeParse(code).success).toBe(true);
});

test("every server of a cell may answer strangers too, as long as it is well", () => {
  const servers = cells.flatMap((cell) =>
    [...(sections.get(cell) ?? "").matchAll(/^ {4}server (\S+) (\S+)$/gm)].map(([, name, address]) => ({
      address,
      track: `${cell}/${name}`,
    })),
  );
  const any = [...(sections.get("any_cell") ?? "").matchAll(/^ {4}server \S+ (\S+) track (\S+)$/gm)];
  expect(any.map(([, address, track]) => ({ address, track }))).toEqual(servers);
});
