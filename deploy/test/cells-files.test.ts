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

// HAProxy does not check that a mapped backend exists; such a request would go to any cell and be refused there.
test("both maps name every cell of the configuration and nothing else", () => {
  expect(cells.length).toBeGreaterThan(1);
  for (const map of ["cells.map", "hosts.map"]) expect(entries(map).map(([, backend]) => backend)).toEqual(cells);
});

test("the codes are valid values of CELL_CODE", () => {
  for (const [code] of entries("cells.map"))
    expect(environmentSchema.shape.CELL_CODE.safeParse(code).success).toBe(true);
});

test("every healthy server of a cell also answers requests without a known cell", () => {
  const servers = cells.flatMap((cell) =>
    [...(sections.get(cell) ?? "").matchAll(/^ {4}server (\S+) (\S+)$/gm)].map(([, name, address]) => ({
      address,
      track: `${cell}/${name}`,
    })),
  );
  const any = [...(sections.get("any_cell") ?? "").matchAll(/^ {4}server \S+ (\S+) track (\S+)$/gm)];
  expect(any.map(([, address, track]) => ({ address, track }))).toEqual(servers);
});

test("moved.map is shipped empty: no account has moved", () => {
  expect(entries("moved.map")).toEqual([]);
});
