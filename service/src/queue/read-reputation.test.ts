import { beforeEach, expect, test } from "vitest";
import { change } from "../../test/send-rows.ts";
import { useSesProvider } from "../../test/use-ses-provider.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { readReputation } from "./read-reputation.ts";

const database = useTestDatabase();
const { simulator, sesProvider } = useSesProvider();

const aFinding = { type: "BOUNCE", impact: "HIGH", resourceArn: "arn:aws:ses:eu-west-1:0:identity/shop.test" };
const stored = async () =>
  (
    await change(
      database.db,
      `select findings, finding_count as count, findings_read_at <= now() as "isRead" from provider_state where mode = 'live'`,
    )
  )[0];

beforeEach(async () => {
  await change(
    database.db,
    "update provider_state set findings = null, finding_count = null, findings_read_at = null where mode = 'live'",
  );
  await change(database.db, "update control_budget set spacing = '1 microsecond', next_at = now()");
});

test("the open findings about reputation are stored, those with a high impact first, and others are ignored", async () => {
  const recommendations = [
    { ...aFinding, type: "COMPLAINT" },
    { ...aFinding, impact: "LOW" },
    { ...aFinding, type: "DMARC" },
  ];
  await simulator.control("PATCH", "account", { recommendations });
  await readReputation(database.db, sesProvider());
  expect(await stored()).toEqual({
    findings: [
      { kind: "COMPLAINT", impact: "HIGH", resource: aFinding.resourceArn },
      { kind: "BOUNCE", impact: "LOW", resource: aFinding.resourceArn },
    ],
    count: 2,
    isRead: true,
  });
});

test("at most 20 findings are stored, beside their number", async () => {
  await simulator.control("PATCH", "account", { recommendations: Array(30).fill(aFinding) });
  await readReputation(database.db, sesProvider());
  expect(await stored()).toMatchObject({ findings: { length: 20 }, count: 30 });
});

test("the findings are read once an hour, and again when a clock that was set back makes that time lie ahead", async () => {
  await simulator.control("PATCH", "account", { recommendations: [aFinding] });
  for (const [age, isReadAgain] of [
    ["59 minutes", false],
    ["61 minutes", true],
    ["-2 minutes", true],
  ] as const) {
    await change(database.db, "update provider_state set finding_count = 7, findings_read_at = now() - $1::interval", [
      age,
    ]);
    await readReputation(database.db, sesProvider());
    expect([age, (await stored())?.count]).toEqual([age, isReadAgain ? 1 : 7]);
  }
});

const refusals = [
  ["without Virtual Deliverability Manager", { recommendations: null }, undefined],
  ["without the permission", { recommendations: [aFinding] }, { kind: "error", name: "AccessDeniedException" }],
] as const;

test.for(refusals)("%s the findings are unknown, and the chore does not fail", async ([, account, fault]) => {
  await simulator.control("PATCH", "account", account);
  if (fault !== undefined) await simulator.control("POST", "rules", { operation: "ListRecommendations", fault });
  await change(database.db, "update provider_state set findings = '[]', finding_count = 3 where mode = 'live'");
  await readReputation(database.db, sesProvider());
  expect(await stored()).toEqual({ findings: null, count: null, isRead: true });
});

test("an interrupted reading stores nothing, and the next run reads everything", async () => {
  await simulator.control("PATCH", "account", { recommendations: [aFinding] });
  const fault = { kind: "error", name: "TooManyRequestsException" };
  await simulator.control("POST", "rules", { operation: "ListRecommendations", skip: 2, times: 1, fault });
  await expect(readReputation(database.db, sesProvider())).rejects.toMatchObject({ kind: "throttled" });
  expect(await stored()).toMatchObject({ count: null, isRead: null });
  await change(database.db, "update control_budget set next_at = now() + interval '10 seconds'");
  await readReputation(database.db, sesProvider());
  expect(await stored()).toMatchObject({ count: null, isRead: null });
  await change(database.db, "update control_budget set next_at = now()");
  await readReputation(database.db, sesProvider());
  expect(await stored()).toMatchObject({ count: 1, isRead: true });
});
