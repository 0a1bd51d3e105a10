import fc from "fast-check";
import { expect, test } from "vitest";
import { judge, type Look, patienceSeconds } from "./verification-rule.ts";

const fresh: Look = {
  status: "Pending",
  proof: "missing",
  isDkimVerified: false,
  secondsSinceRegistration: 0,
  secondsFailing: 0,
};
const hour = 3600;

test("proof and DKIM together verify a domain, whatever it was before", () => {
  for (const status of ["Pending", "Failed", "Success"] as const) {
    expect(judge({ ...fresh, status, proof: "seen", isDkimVerified: true })).toEqual({
      status: "Success",
      nextCheckSeconds: 24 * hour,
    });
  }
});

test("nothing becomes Success without both, for any look", () => {
  fc.assert(
    fc.property(aLook(), (look) => {
      const { status } = judge(look);
      const hasBoth = look.proof === "seen" && look.isDkimVerified;
      expect(status === "Success").toBe(hasBoth || (look.status === "Success" && !isOverdue(look)));
    }),
  );
});

test("pending checks slow from every 30 seconds to hourly", () => {
  const pauses = [0, 600, 1200, 6 * hour, 20 * hour, 71 * hour].map(
    (secondsSinceRegistration) => judge({ ...fresh, secondsSinceRegistration }).nextCheckSeconds,
  );
  expect(pauses).toEqual([30, 30, 60, 1080, hour, hour]);
});

test("a domain that only waits for the provider is looked at every 10 seconds at first", () => {
  expect(judge({ ...fresh, proof: "seen" }).nextCheckSeconds).toBe(10);
});

test("a domain without proof is Failed after 72 hours and not before", () => {
  expect(judge({ ...fresh, secondsSinceRegistration: patienceSeconds - 1 }).status).toBe("Pending");
  expect(judge({ ...fresh, secondsSinceRegistration: patienceSeconds }).status).toBe("Failed");
});

test("a failed domain is still looked at hourly", () => {
  expect(judge({ ...fresh, status: "Failed" })).toEqual({ status: "Failed", nextCheckSeconds: hour });
});

test("a verified domain survives a flaky answer and fails after 72 hours of conclusive ones", () => {
  const verified: Look = { ...fresh, status: "Success" };
  expect(judge({ ...verified, secondsFailing: 1 })).toEqual({ status: "Success", nextCheckSeconds: hour });
  expect(judge({ ...verified, secondsFailing: patienceSeconds }).status).toBe("Failed");
  expect(judge({ ...verified, proof: "unknown", secondsFailing: patienceSeconds }).status).toBe("Success");
});

test("silence of DNS never fails a domain", () => {
  fc.assert(
    fc.property(aLook(), (look) => {
      const { status } = judge({ ...look, proof: "unknown" });
      expect(status).toBe(look.status);
    }),
  );
});

function aLook(): fc.Arbitrary<Look> {
  return fc.record({
    status: fc.constantFrom("Pending", "Success", "Failed"),
    proof: fc.constantFrom("seen", "missing", "unknown"),
    isDkimVerified: fc.boolean(),
    secondsSinceRegistration: fc.nat(10 * patienceSeconds),
    secondsFailing: fc.nat(10 * patienceSeconds),
  });
}

function isOverdue({ proof, secondsFailing }: Look): boolean {
  return proof !== "unknown" && secondsFailing >= patienceSeconds;
}
