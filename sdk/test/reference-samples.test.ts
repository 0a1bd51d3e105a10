import { readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anAccount, anApiKey, aUser } from "../../service/test/builders.ts";
import { openDomainFixture } from "../../service/test/domain-fixture.ts";
import { useSesSimulator } from "../../service/test/use-ses-simulator.ts";
import { useTestApi } from "../../service/test/use-test-api.ts";
import { isForPeople } from "./for-people.ts";
import { installPackage, type Project } from "./install-package.ts";

interface Operation {
  operationId: string;
  security?: object[];
  "x-codeSamples"?: { lang: string; source: string }[];
}

const document: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  readFileSync(new URL("../../service/openapi.json", import.meta.url), "utf8"),
);
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith("/api/v1/") && !path.startsWith("/api/v1/feedback/"))
  .flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => (isForPeople(method, path) ? [] : [operation])),
  );
const programs = operations.flatMap(({ operationId, "x-codeSamples": samples = [] }) =>
  samples.map(({ source }) => ({ operationId, source })),
);

/** The part of Node's own types that the samples use; the project has no other dependency. */
const nodeTypes = {
  file: "node.d.ts",
  text: 'declare module "node:process" { export const env: Record<string, string | undefined>; }',
};

const simulator = useSesSimulator();
const api = useTestApi();
let project: Project;
let env: Record<string, string>;

beforeAll(async () => {
  project = installPackage();
  const { db, url } = api.database;
  const domainFixture = await openDomainFixture(db, url, simulator.simulator);
  api.deps.domainDeps = domainFixture;
  const user = await aUser(db, { accountId: await anAccount(db) });
  const { key } = await anApiKey(db, api.deps.apiKeyIssuer, user.accountId, { type: "test", scopes: ["send", "read"] });
  const address = await api.app.listen({ port: 0, host: "127.0.0.1" });
  env = {
    POSTERN_URL: address,
    POSTERN_API_KEY: key,
    POSTERN_EMAIL: user.email,
    POSTERN_PASSWORD: user.password,
  };
  return () => domainFixture.locks.close();
});
afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

test("every operation for programs has a Node sample, and each uses the SDK", () => {
  expect(programs.map(({ operationId }) => operationId)).toEqual(operations.map(({ operationId }) => operationId));
  for (const { source } of programs) expect(source).toContain('from "@postern/sdk"');
});

test("the compiler accepts every sample", () => {
  const files = programs.map(({ operationId, source }) => ({ file: `${operationId}.ts`, source }));
  for (const { file, source } of files) project.write(file, `${source}\nexport {};`);
  project.write(nodeTypes.file, nodeTypes.text);
  expect(project.typeErrors([nodeTypes.file, ...files.map(({ file }) => file)])).toBe("");
});

test.for(programs)("the sample of $operationId runs as it stands", async ({ operationId, source }) => {
  project.write(`${operationId}.ts`, source);
  await expect(project.run(`${operationId}.ts`, { env })).resolves.toBeTypeOf("string");
});

test("the sample of send reports that the send is queued", async () => {
  project.write("sent.ts", programs.find(({ operationId }) => operationId === "send")?.source ?? "");
  expect(await project.run("sent.ts", { env })).toMatch(/^[0-9a-f-]{36} queued\n$/);
});
