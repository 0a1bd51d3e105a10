import { expect, inject, test } from "vitest";
import { walkInstallGuide } from "./install-guide.ts";

test("the commands of the install guide create a database and deliver a first mail", { timeout: 120_000 }, async () => {
  const { sends } = await walkInstallGuide({ serverUrl: inject("serverUrl") });
  expect(sends).toEqual([expect.objectContaining({ status: "delivered", to_addresses: ["delivered@sandbox.test"] })]);
});
