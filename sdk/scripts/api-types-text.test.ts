import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ApiDocument, apiTypesText } from "./api-types-text.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

test("src/api-types.ts matches service/openapi.json (fix: npm run openapi)", () => {
  expect(read("../src/api-types.ts")).toBe(apiTypesText(JSON.parse(read("../../service/openapi.json"))));
});

test("the generator throws on an unsupported schema instead of writing a wrong type", () => {
  const withSchema = (schema: object): ApiDocument => ({ paths: {}, components: { schemas: { Thing: schema } } });
  expect(() => apiTypesText(withSchema({ type: "object", patternProperties: {} }))).toThrow("patternProperties");
  expect(() => apiTypesText(withSchema({ type: "tuple" }))).toThrow("the type tuple");
  expect(() => apiTypesText(withSchema({}))).toThrow("the type undefined");
});
