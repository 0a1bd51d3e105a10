import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../test/builders.ts";
import { openDomainFixture } from "../../../test/domain-fixture.ts";
import { anOperator } from "../../../test/operator-user.ts";
import { useSesSimulator } from "../../../test/use-ses-simulator.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import type { DomainDeps } from "../../domains/register-domain.ts";

interface Media {
  schema: object;
  example?: unknown;
}
interface Response {
  description: string;
  headers: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}
interface Parameter {
  name: string;
  required: boolean;
  description?: string;
  schema: object;
  examples?: { default: { "x-disabled": boolean } };
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
}

const document: { paths: Record<string, Record<string, Operation>>; components: { headers: object } } = JSON.parse(
  readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8"),
);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

describe("the document", () => {
  test("describes every response and declares its headers", () => {
    for (const { operationId, responses } of operations) {
      for (const [status, { description, headers }] of Object.entries(responses)) {
        expect(description, `${operationId} ${status}`).toMatch(/^(?!Default Response).{5}/);
        expect(Object.keys(headers), `${operationId} ${status}`).toContain("X-Request-Id");
        for (const { $ref } of Object.values(headers)) {
          expect(document.components.headers).toHaveProperty([$ref.replace("#/components/headers/", "")]);
        }
      }
    }
  });

  test("describes every parameter", () => {
    for (const { operationId, parameters = [] } of operations) {
      for (const { name, description } of parameters) expect(description, `${operationId} ${name}`).toMatch(/\S/);
    }
  });

  test("leaves every optional parameter out of the sample request of the reference page", () => {
    for (const { operationId, parameters = [] } of operations) {
      for (const { name, required, examples } of parameters.filter(({ required: isRequired }) => !isRequired)) {
        expect([required, examples?.default?.["x-disabled"]], `${operationId} ${name}`).toEqual([false, true]);
      }
    }
  });

  test("declares the headers of POST /api/v1/send and its Idempotency-Key parameter", () => {
    const send = operations.find(({ operationId }) => operationId === "send");
    expect(Object.keys(send?.responses[202]?.headers ?? {})).toEqual(
      expect.arrayContaining(["RateLimit", "RateLimit-Policy", "Idempotent-Replayed"]),
    );
    expect(Object.keys(send?.responses[429]?.headers ?? {})).toContain("Retry-After");
    expect(Object.keys(send?.responses[401]?.headers ?? {})).toContain("WWW-Authenticate");
    expect(send?.parameters?.map(({ name }) => name)).toContain("Idempotency-Key");
  });

  test("has no bounds that come from JavaScript instead of the interface", () => {
    expect(JSON.stringify(document)).not.toContain("9007199254740991");
  });

  test("permits additional fields in every response and in no request body", () => {
    expect(JSON.stringify(operations.map(({ responses }) => responses))).not.toContain('"additionalProperties":false');
    for (const [name, schema] of Object.entries(namedSchemas())) {
      expect(schema.additionalProperties, name).toBe(/^(Send|Batch)RequestInput$/.test(name) ? false : undefined);
    }
    for (const { operationId, requestBody } of operations) {
      const schema = resolved(requestBody?.content["application/json"]?.schema);
      if (schema !== undefined) expect(schema.additionalProperties, operationId).toBe(false);
    }
  });

  test("gives ids and page sizes their formats and defaults", () => {
    const parameterOf = (id: string, name: string) =>
      operations.find(({ operationId }) => operationId === id)?.parameters?.find((one) => one.name === name)?.schema;
    expect(parameterOf("getSendStatus", "id")).toMatchObject({ type: "string", format: "uuid" });
    expect(parameterOf("revokeApiKey", "id")).toMatchObject({ type: "string", format: "uuid" });
    expect(parameterOf("getDomain", "id")).toMatchObject({ type: "integer" });
    for (const list of ["listEvents", "listSuppressions", "listSends"]) {
      expect(parameterOf(list, "limit")).toMatchObject({ type: "integer", minimum: 1, default: 50 });
    }
    expect(parameterOf("listEvents", "page")).toMatchObject({ default: 1 });
  });

  test("requires html or text in the body of a send", () => {
    const validate = ajv.compile({ $ref: "openapi#/components/schemas/SendRequestInput" });
    const mail = { from: "a@b.io", to: ["c@d.io"], subject: "s" };
    const bodies = [{}, { html: null }, { text: "" }, { html: "<p>" }, { text: "t", html: null }];
    expect(bodies.map((body) => validate({ ...mail, ...body }))).toEqual([false, false, false, true, true]);
  });

  test("contains only examples that its own schemas accept", () => {
    const examples = examplesIn(document, "");
    expect(examples.length).toBeGreaterThan(20);
    for (const { pointer, schema, example } of examples) {
      expect(ajv.validate({ ...bundled, ...schema }, example), `${pointer}: ${ajv.errorsText()}`).toBe(true);
    }
  });
});

describe("the API accepts the example of every request body as it stands", () => {
  const provider = useSesSimulator();
  const api = useTestApi();
  let deps: DomainDeps;

  beforeAll(async () => {
    deps = await openDomainFixture(api.database.db, api.database.url, provider.simulator);
    api.deps.domainDeps = deps;
  });
  afterAll(() => deps.locks.close());

  const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);
  // Nobody has the passwords, tokens and codes of the examples, so these requests are refused, but not as invalid.
  const expected: Record<string, number> = {
    send: 202,
    sendBatch: 202,
    validateSend: 200,
    cancelSendByKey: 404,
    createContentView: 404,
    logIn: 401,
    refreshLogin: 401,
    createApiKey: 201,
    rollApiKey: 200,
    addSuppression: 201,
    importSuppressions: 200,
    registerDomain: 201,
    setMailFrom: 404,
    switchAccount: 404,
    changePassword: 401,
    enrolTotp: 401,
    confirmTotp: 409,
    renewRecoveryCodes: 409,
    disableTotp: 401,
    changeAccount: 200,
    inviteMember: 201,
    acceptInvitation: 404,
    joinByInvitation: 404,
    requestPasswordReset: 404,
    resetPassword: 404,
    changeRole: 404,
    createWebhook: 201,
    changeWebhook: 404,
    rotateWebhookSecret: 404,
    testWebhook: 404,
    replayWebhook: 404,
    createWebhookListener: 201,
    takeNotifications: 404,
    holdAccount: 404,
    releaseAccount: 404,
    switchGuard: 404,
    releaseFromGuard: 404,
    changeLimits: 404,
    changeQuotas: 404,
    readQuarantined: 404,
    replayQuarantine: 404,
  };

  test("the document has these bodies", () => {
    expect(withBody.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  test.for(withBody)("$operationId", async ({ path, method, operationId, requestBody }) => {
    const isForOperators = path.startsWith("/api/v1/operator/");
    const { accessToken, accountId } = isForOperators
      ? await anOperator(api)
      : await aLogin(api.database.db, api.deps.loginDeps);
    const { id, key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { type: "test" });
    const takesKey = path.startsWith("/api/v1/send") && operationId !== "createContentView";
    const credential = takesKey ? { key } : { token: accessToken };
    const body = requestBody?.content["application/json"]?.example;
    expect(body).toBeTypeOf("object");
    const own = path.replace("{id}", id);
    const response = await api.call({ method: method === "patch" ? "PATCH" : "POST", path: own, body, ...credential });
    expect(response.status, response.text).toBe(expected[operationId]);
    if (operationId === "validateSend") expect(response.json().valid).toBe(true);
  });
});

type Schema = Record<string, unknown>;

function namedSchemas(): Record<string, Schema> {
  return (document.components as unknown as { schemas: Record<string, Schema> }).schemas;
}

function resolved(schema: object | undefined): Schema | undefined {
  const { $ref } = (schema ?? {}) as { $ref?: string };
  return $ref === undefined
    ? (schema as Schema | undefined)
    : namedSchemas()[$ref.replace("#/components/schemas/", "")];
}

const ajv = new Ajv2020.default({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addFormat("password", true);
ajv.addFormat("int32", true);
ajv.addSchema(document, "openapi");
/** An absolute base, so that a schema taken out of the document still resolves its references. */
const bundled = { components: document.components };

/** Every `example` beside a schema or inside one. */
function examplesIn(node: unknown, pointer: string): { pointer: string; schema: Schema; example: unknown }[] {
  if (typeof node !== "object" || node === null) return [];
  const { example, schema, ...rest } = node as { example?: unknown; schema?: Schema };
  const here = example === undefined ? [] : [{ pointer, schema: schema ?? rest, example }];
  const children = Object.entries({ ...rest, schema }).flatMap(([name, child]) =>
    examplesIn(child, `${pointer}/${name}`),
  );
  return [...here, ...children];
}
