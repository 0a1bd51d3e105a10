import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import {
  booleanArray,
  byteaArray,
  nothingIfAllNull,
  smallintArray,
  textArray,
  uuidArray,
  uuidBytesArray,
} from "./array-param.ts";

const database = useTestDatabase();

test("PostgreSQL reads binary arrays unchanged, including nulls and characters beyond ASCII", async () => {
  const [id, other] = [randomUUID(), randomUUID()];
  const bytes = randomBytes(300);
  const [row] = await database.db.query({
    name: "echo-arrays",
    text: `
      select $1::text[] as texts, $2::uuid[] as ids, $3::uuid[] as raw, $4::bytea[] as bytes, $5::boolean[] as flags,
        $6::smallint[] as numbers`,
    values: [
      textArray(["", "a,b", "Grüße 😀", null, '{"x"}']),
      uuidArray([id, null]),
      uuidBytesArray([Buffer.from(other.replaceAll("-", ""), "hex"), null]),
      byteaArray([bytes, null, Buffer.alloc(0)]),
      booleanArray([true, false]),
      smallintArray([0, -1, 32_767, null]),
    ],
  });
  expect(row).toEqual({
    texts: ["", "a,b", "Grüße 😀", null, '{"x"}'],
    ids: [id, null],
    raw: [other, null],
    bytes: [bytes, null, Buffer.alloc(0)],
    flags: [true, false],
    numbers: [0, -1, 32_767, null],
  });
});

test("PostgreSQL reads an empty array as empty", async () => {
  const [row] = await database.db.query({
    name: "echo-empty",
    text: `select cardinality($1::text[]) as count`,
    values: [textArray([])],
  });
  expect(row).toEqual({ count: 0 });
});

test("a column without any value is null in every row", async () => {
  const ids = [randomUUID(), randomUUID().toUpperCase()];
  const rows = await database.db.query({
    name: "echo-columns",
    text: `select id, tags, names from unnest($1::uuid[], $2::text[], $3::text[]) as r (id, tags, names)`,
    values: [uuidArray(ids), nothingIfAllNull(textArray, [null, null]), nothingIfAllNull(textArray, [null, "b"])],
  });
  expect(rows).toEqual([
    { id: ids[0], tags: null, names: null },
    { id: ids[1]?.toLowerCase(), tags: null, names: "b" },
  ]);
});
