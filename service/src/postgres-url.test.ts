import { expect, test } from "vitest";
import {
  needsPrimary,
  parameterOf,
  problemOfUrl,
  urlOfEachHost,
  withCaFile,
  withDatabaseName,
  withParameters,
} from "./postgres-url.ts";

const two = "postgres://user:p%40ss@one.test:5432,two.test:6432/mail?target_session_attrs=read-write";

test("a URL with several hosts is split into one for each, with the same user, database and parameters", () => {
  expect(urlOfEachHost(two)).toEqual([
    "postgres://user:p%40ss@one.test:5432/mail?target_session_attrs=read-write",
    "postgres://user:p%40ss@two.test:6432/mail?target_session_attrs=read-write",
  ]);
  expect(urlOfEachHost("postgres://u:a@b,c@one,[::1]:5433/mail")).toEqual([
    "postgres://u:a@b,c@one/mail",
    "postgres://u:a@b,c@[::1]:5433/mail",
  ]);
});

test("a URL with one host stays as it is", () => {
  for (const url of ["postgres://one/mail", "postgresql://u@h:1/d?options=-c%20a%3Db", "postgres:///d?host=/run/pg"]) {
    expect(urlOfEachHost(url)).toEqual([url]);
    expect(problemOfUrl(url)).toBeUndefined();
  }
});

test("parameters are read, set and removed", () => {
  expect(parameterOf(two, "target_session_attrs")).toBe("read-write");
  expect(withParameters(two, { target_session_attrs: undefined, sslrootcert: "/a b/ca.pem" })).toBe(
    "postgres://user:p%40ss@one.test:5432,two.test:6432/mail?sslrootcert=%2Fa%20b%2Fca.pem",
  );
  expect(withParameters("postgres://h", { sslmode: "require" })).toBe("postgres://h?sslmode=require");
  expect(withDatabaseName(two, "postgres")).toContain("one.test:5432,two.test:6432/postgres?target");
});

test.for([
  ["mysql://one/mail", "must look like postgres://"],
  ["postgres://one:port/mail", "must look like postgres://"],
  ["postgres://user@one,,two/mail", "must look like postgres://"],
  ["postgres://one,two/mail?target_session_attrs=standby", "use read-write"],
] as const)("%s is refused", ([url, problem]) => {
  expect(problemOfUrl(url)).toContain(problem);
});

test("several hosts, or target_session_attrs, ask for the primary", () => {
  expect(needsPrimary(two)).toBe(true);
  expect(needsPrimary("postgres://one,two/mail")).toBe(true);
  expect(needsPrimary("postgres://one/mail?target_session_attrs=primary")).toBe(true);
  expect(needsPrimary("postgres://one/mail?target_session_attrs=any")).toBe(false);
  expect(needsPrimary("postgres://one/mail")).toBe(false);
});

test("a CA file brings verify-full, and changes no URL that switches TLS off", () => {
  expect(withCaFile("postgres://h/d", "/ca.pem")).toBe("postgres://h/d?sslmode=verify-full&sslrootcert=%2Fca.pem");
  expect(withCaFile("postgres://h/d?sslmode=require", "/ca.pem")).toContain("sslmode=require&sslrootcert");
  expect(withCaFile("postgres://h/d?sslmode=disable", "/ca.pem")).toBe("postgres://h/d?sslmode=disable");
  expect(withCaFile("postgres://h/d", undefined)).toBe("postgres://h/d");
});
