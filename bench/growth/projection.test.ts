import { expect, test } from "vitest";
import type { DatasetSize } from "./dataset.ts";
import { touchedBy } from "./growth-bounds.ts";
import { projectedBlocks } from "./projection.ts";

const sizes: DatasetSize[] = [
  { name: "10 thousand", sends: 10_000, partitions: "months" },
  { name: "1 million", sends: 1_000_000, partitions: "months" },
  { name: "10 million", sends: 10_000_000, partitions: "months" },
  { name: "1 million in 200 partitions", sends: 1_000_000, partitions: "200 weeks" },
];

test("the projection continues the line of the datasets in months over the logarithm of their sends", () => {
  const blocks = {
    "10 thousand": [10, 11, 12],
    "1 million": [14, 15, 900],
    "10 million": [17, 17, 17],
    [`${sizes[3]?.name}`]: [99, 99, 99],
  };
  const rounds = Object.fromEntries(
    Object.entries(blocks).map(([name, values]) => [
      name,
      values.map((value) => ({ rate: 1, notes: { [touchedBy("accept")]: value } })),
    ]),
  );
  const projected = projectedBlocks({ baseline: "10 thousand", rounds, ratios: {} }, sizes);
  expect(
    projected["blocks touched by accept with 100 million sends, extrapolated from 10 thousand, 1 million, 10 million"],
  ).toBe(19);
});
