import { createCertificateCache } from "../feedback/certificate-cache.ts";
import { fetchCertificate } from "../feedback/fetch-certificate.ts";
import { checkSignature } from "../feedback/sns-signature.ts";
import { type Finding, note, ok, problem } from "../setup/finding.ts";
import type { SeenEvent } from "./collect-events.ts";

interface SignatureOptions {
  topicArn: string;
  certificateOrigin: string | undefined;
}

/** The rules for pushed events, applied to one event of the queue: SNS signs both alike. */
export async function checkSignatures(options: SignatureOptions, events: SeenEvent[]): Promise<Finding[]> {
  const [first] = events;
  if (first === undefined) return [];
  const certificates = createCertificateCache((url) => fetchCertificate(url), Date.now);
  const { topicArn, certificateOrigin } = options;
  const rules = { topicArns: [topicArn], certificateOrigin, certificates, now: Date.now };
  const result = await checkSignature(rules, first.body);
  switch (result.kind) {
    case "genuine":
      return [ok("assumption.signature", "Postern accepts the signature of SNS, as it has to for pushed events")];
    case "forged":
      return [
        problem(
          "assumption.signature",
          `Postern would refuse a pushed event: ${result.reason}`,
          "run `postern aws setup`; if the problem stays, report it, see docs/ses-assumptions.md",
        ),
      ];
    case "cannot-check":
      return [
        note("assumption.signature", `the signature of SNS cannot be checked: ${result.reason}`, "check the network"),
      ];
  }
}
