import { isDeepStrictEqual } from "node:util";
import type { Answer } from "../client.ts";
import { listedDomainAdditions, listedDomainFields, registeredFields } from "../fields.ts";
import type { Tests } from "../suite.ts";
import { until } from "../until.ts";

const unknownDomain = "/api/v1/domains/2147483647";

export const domainTests: Tests = {
  "4.3-01": async (check, { admin }) => {
    for (const body of [{}, { domain_name: 7 }, { domain_name: "" }]) {
      const answer = await admin.asUser("POST", "/api/v1/domains", { body });
      check.error(`registering ${JSON.stringify(body)}`, answer, 422, "VALIDATION_ERROR");
    }
  },
  "4.3-02": async (check, { fixtures }) => {
    const { registered, name } = await fixtures.domain();
    check.status("registering a domain", registered, 201);
    check.fields("the answer", registered.body, registeredFields);
    check.equal("domain_name", registered.body?.domain_name, name);
  },
  "4.3-03": async (check, { fixtures }) => {
    const { registered, name } = await fixtures.domain();
    const names: string[] = registered.body.dns_records.map((record: { name: string }) => record.name);
    check.holds("there are records", names.length > 0);
    for (const record of names) check.holds(`${record} is within ${name}`, record.endsWith(`.${name}`));
  },
  "4.3-04": async (check, { fixtures, admin }) => {
    const { name } = await fixtures.domain();
    const again = await admin.asUser("POST", "/api/v1/domains", { body: { domain_name: name } });
    check.error("registering the domain again", again, 409, "CONFLICT");
  },
  "4.3-05": async (check, { admin }) => {
    for (const domain_name of ["no domain", "https://acme.io/", "-acme-.io", "acme", "a@acme.io"]) {
      const answer = await admin.asUser("POST", "/api/v1/domains", { body: { domain_name } });
      check.error(`registering "${domain_name}"`, answer, 422, "VALIDATION_ERROR");
    }
  },

  "4.4-01": async (check, { fixtures }) => {
    const { list } = await fixtures.domain();
    check.status("the list", list, 200);
    check.holds("the answer is an array", Array.isArray(list.body), list.body);
  },
  "4.4-02": async (check, { fixtures }) => {
    const domains: unknown[] = (await fixtures.domain()).list.body;
    check.holds("there are domains", domains.length > 0);
    for (const domain of domains) check.fields("a listed domain", domain, listedDomainFields, listedDomainAdditions);
  },
  "4.4-03": async (check, { fixtures, verifiedDomain }) => {
    const { list, name } = await fixtures.domain();
    const names = list.body.map((domain: { domain_name: string }) => domain.domain_name);
    check.holds(
      "the list contains the new and the verified domain",
      [name, verifiedDomain()].every((one) => names.includes(one)),
      names,
    );
    check.equal("a Link header to another page", list.headers.get("link"), null);
  },

  "4.4-04": async (check, { fixtures, admin, freshDomain }) => {
    await fixtures.domain();
    const readNames = async (path: string) => {
      const { status, body } = await admin.asUser("GET", path);
      return status === 200 ? body.map(({ domain_name }: { domain_name: string }) => domain_name) : status;
    };
    if ((await readNames("/api/v1/domains")).length === 1) await admin.registerDomain(freshDomain());
    // Concurrent tests register and remove domains.
    const { all, limited } = await until(
      async () => ({
        all: await readNames("/api/v1/domains"),
        limited: await readNames("/api/v1/domains?limit=1"),
        after: await readNames("/api/v1/domains"),
      }),
      (read) => isDeepStrictEqual(read.all, read.after),
    );
    check.holds("there are several domains", all.length > 1, all);
    if (limited !== 422) check.equal("the domains with limit=1", limited, all);
  },

  "4.5-01": async (check, { fixtures, admin }) => {
    const { registered, got } = await fixtures.domain();
    check.integer("the id", registered.body?.domain_id);
    check.equal("the domain in the answer", got.body?.domain_id, registered.body?.domain_id);
    check.error("an id that is not an integer", await admin.asUser("GET", "/api/v1/domains/one"), 404, "NOT_FOUND");
  },
  "4.5-02": async (check, { fixtures }) => {
    const { got, registered } = await fixtures.domain();
    check.hasFields("the domain", got.body, [...listedDomainFields, "dns_records"]);
    for (const record of got.body.dns_records) check.hasFields("a DNS record", record, ["type", "name", "value"]);
    check.equal("the number of records", got.body.dns_records.length, registered.body.dns_records.length);
  },
  "4.5-03": async (check, { admin }) => {
    check.error("an unknown domain", await admin.asUser("GET", unknownDomain), 404, "NOT_FOUND");
  },
  "4.5-04": async (check, { other, fixtures }) => {
    const { path } = await fixtures.domain();
    check.error("a domain of another account", await other().asUser("GET", path), 404, "NOT_FOUND");
  },

  "4.6-01": async (check, { fixtures, admin }) => {
    const { path, name } = await fixtures.removedDomain();
    check.error("the removed domain", await admin.asUser("GET", path), 404, "NOT_FOUND");
    const { body }: Answer = await admin.asUser("GET", "/api/v1/domains");
    check.holds(
      "the list does not contain it",
      body.every((domain: { domain_name: string }) => domain.domain_name !== name),
    );
  },
  "4.6-02": async (check, { admin, freshDomain, simulator }) => {
    const view = simulator();
    const name = freshDomain();
    const { body } = await admin.registerDomain(name);
    check.equal(`whether the provider has ${name}`, await view.hasIdentity(name), true);
    await admin.asUser("DELETE", `/api/v1/domains/${body?.domain_id}`);
    // The API removes the identity after the answer when many other calls to the provider wait.
    const isRegistered = await until(
      () => view.hasIdentity(name),
      (found) => !found,
      100,
    );
    check.equal(`whether the provider has ${name} after its removal`, isRegistered, false);
  },
  "4.6-03": async (check, { fixtures }) => {
    const { removal } = await fixtures.removedDomain();
    check.status("the removal", removal, 200);
    check.equal("the body", removal.body, { success: true });
  },
  "4.6-04": async (check, { admin }) => {
    check.error("removing an unknown domain", await admin.asUser("DELETE", unknownDomain), 404, "NOT_FOUND");
  },
  "4.6-05": async (check, { admin, other, fixtures }) => {
    const { path } = await fixtures.domain();
    check.error("removing a domain of another account", await other().asUser("DELETE", path), 404, "NOT_FOUND");
    check.status("the domain after the refused removal", await admin.asUser("GET", path), 200);
  },
};
