import { expect, test } from "vitest";
import { anEnvironment } from "../test/test-config.ts";
import { readConfig, readMisspeltSettings } from "./config.ts";

test.for([
  ["DATABASE_CA_FLIE", "DATABASE_CA_FILE"],
  ["DATABASE_URI", "DATABASE_URL"],
  ["DNS_SERVER", "DNS_SERVERS"],
  ["LOGLEVEL", "LOG_LEVEL"],
  ["log_level", "LOG_LEVEL"],
  ["TRUSTED_PROXYS", "TRUSTED_PROXIES"],
  ["CONTENT_KEY_FILES", "CONTENT_KEY_FILE"],
  ["IN_DOUBT_MAX_SECOND", "IN_DOUBT_MAX_SECONDS"],
  ["PUBLIC_URL_FILE", "PUBLIC_URL"],
] as const)("%s is reported with the nearest name %s", ([name, nearest]) => {
  expect(readMisspeltSettings({ ...anEnvironment(), [name]: "x" })).toEqual([{ name, nearest }]);
});

const foreign = [
  ..."PATH HOME HOSTNAME SHELL PWD USER LANG TERM TZ CI NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS npm_lifecycle_event".split(
    " ",
  ),
  ..."AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE AWS_DEFAULT_REGION AWS_ENDPOINT_URL".split(
    " ",
  ),
  ..."AWS_ENDPOINT_URL_SES AWS_ENDPOINT_URL_SSM AWS_ENDPOINT_URL_STS AWS_CA_BUNDLE AWS_ROLE_ARN".split(" "),
  ..."PGHOST PGPORT PGSSLMODE POSTGRES_PASSWORD POSTGRES_URL POSTERN_IMAGE CREDENTIALS_DIRECTORY INVOCATION_ID".split(
    " ",
  ),
  ..."POSTERN_API_SERVICE_HOST POSTERN_API_SERVICE_PORT POSTERN_API_PORT POSTERN_API_PORT_3000_TCP_ADDR".split(" "),
  ..."DATABASE_HOST DATABASE_NAME DATABASE_PORT DATABASE_USER PUBLIC_KEY LOG_FORMAT API_KEY CLIENT_ID".split(" "),
];

test("variables of other programs are not reported", () => {
  expect(readMisspeltSettings(Object.fromEntries(foreign.map((name) => [name, "x"])))).toEqual([]);
});

test("settings, files of secrets and the settings of callers are not reported", () => {
  const names = ["DATABASE_URL", "DATABASE_CA_FILE", "CONTENT_KEY_FILE", "POSTERN_URL", "POSTERN_API_KEY", "PORT"];
  expect(readMisspeltSettings(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
});

test("a start that fails names the misspelt variable beside the missing setting", () => {
  const env = { ...anEnvironment({ AWS_REGION: undefined }), AWS_REGOIN: "eu-central-1" };
  expect(() => readConfig(env, "postern api")).toThrow(
    /- AWS_REGION is missing: region of SES\n {2}- AWS_REGOIN is not a setting; did you mean AWS_REGION\?/,
  );
});
