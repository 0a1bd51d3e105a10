import fc from "fast-check";
import { expect, test } from "vitest";
import { evaluateVerification, gracePeriodSeconds, type VerificationEvidence } from "./verification-rule.ts";

const fresh: VerificationEvidence = {
  status: "Pending",
  proof: "missing",
  isDkimVerified: false,
  secondsSinceRegistration: 0,
  secondsFailing: 0,
};
const hour = 3600;

test("the TXT record and DKIM together verify a domain, whatever its status was", () => {
  for (const status of ["Pending", "Failed", "Success"] as const) {
    expect(evaluateVerification({ ...fresh, status, proof: "seen", isDkimVerified: true })).toEqual({
      status: "Success",
      nextCheckSeconds: 24 * hour,
    });
  }
});

test("no domain becomes Success without both, for any evidence", () => {
  fc.assert(
    fc.property(anyEvidence(), (evidence) => {
      const { status } = evaluateVerification(evidence);
      const hasBoth = evidence.proof === "seen" && evidence.isDkimVerified;
      expect(status === "Success").toBe(hasBoth || (evidence.status === "Success" && !isOverdue(evidence)));
    }),
  );
});

test("the pause between checks of a pending domain grows from 30 seconds to an hour", () => {
  const pauses = [0, 600, 1200, 6 * hour, 20 * hour, 71 * hour].map(
    (secondsSinceRegistration) => evaluateVerification({ ...fresh, secondsSinceRegistration }).nextCheckSeconds,
  );
  expect(pauses).toEqual([30, 30, 60, 1080, hour, hour]);
});

test("a domain that waits only for the provider is first checked every 10 seconds", () => {
  expect(evaluateVerification({ ...fresh, proof: "seen" }).nextCheckSeconds).toBe(10);
});

test("a domain without proof becomes Failed after 72 hours, not earlier", () => {
  expect(evaluateVerification({ ...fresh, secondsSinceRegistration: gracePeriodSeconds - 1 }).status).toBe("Pending");
  expect(evaluateVerification({ ...fresh, secondsSinceRegistration: gracePeriodSeconds }).status).toBe("Failed");
});

test("a failed domain is still checked every hour", () => {
  expect(evaluateVerification({ ...fresh, status: "Failed" })).toEqual({ status: "Failed", nextCheckSeconds: hour });
});

test("a verified domain stays verified on a short failure and becomes Failed after 72 hours of conclusive failures", () => {
  const verified: VerificationEvidence = { ...fresh, status: "Success" };
  expect(evaluateVerification({ ...verified, secondsFailing: 1 })).toEqual({
    status: "Success",
    nextCheckSeconds: hour,
  });
  expect(evaluateVerification({ ...verified, secondsFailing: gracePeriodSeconds }).status).toBe("Failed");
  expect(evaluateVerification({ ...verified, proof: "unknown", secondsFailing: gracePeriodSeconds }).status).toBe(
    "Success",
  );
});

test("a check without a DNS answer never changes the status", () => {
  fc.assert(
    fc.property(anyEvidence(), (evidence) => {
      const { status } = evaluateVerification({ ...evidence, proof: "unknown" });
      expect(status).toBe(evidence.status);
    }),
  );
});

function anyEvidence(): fc.Arbitrary<VerificationEvidence> {
  return fc.record({
    status: fc.constantFrom("Pending", "Success", "Failed"),
    proof: fc.constantFrom("seen", "missing", "unknown"),
    isDkimVerified: fc.boolean(),
    secondsSinceRegistration: fc.nat(10 * gracePeriodSeconds),
    secondsFailing: fc.nat(10 * gracePeriodSeconds),
  });
}

function isOverdue({ proof, secondsFailing }: VerificationEvidence): boolean {
  return proof !== "unknown" && secondsFailing >= gracePeriodSeconds;
}
