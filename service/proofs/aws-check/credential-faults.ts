import { changeNothing, type Fault } from "./fault.ts";

export const credentialFaults: Fault[] = [
  {
    name: "there are no credentials",
    inject: changeNothing,
    settings: { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined },
    check: "call",
    fix: /no valid AWS credentials/,
    needsProcess: true,
  },
  {
    name: "the clock is ten minutes behind",
    inject: changeNothing,
    settings: { NODE_OPTIONS: `--import=${import.meta.dirname}/shifted-clock.ts` },
    check: "clock",
    fix: /NTP/,
    consequences: ["assumption.times"],
    needsProcess: true,
  },
  {
    name: "AWS refuses the time of the requests",
    inject: (aws) => aws.control("POST", "rules", { operation: "*", fault: { kind: "clock-skew" } }),
    check: "call",
    fix: /correct the clock/,
  },
  {
    name: "the session has expired",
    inject: (aws) => aws.deny("*", "ExpiredTokenException", "The security token included in the request is expired"),
    check: "call",
    fix: /credentials have expired/,
  },
  {
    name: "AWS does not know the access key",
    inject: (aws) =>
      aws.deny("*", "UnrecognizedClientException", "The security token included in the request is invalid"),
    check: "call",
    fix: /check AWS_ACCESS_KEY_ID/,
  },
  {
    name: "the secret key is wrong",
    inject: (aws) =>
      aws.deny(
        "*",
        "InvalidSignatureException",
        "The request signature we calculated does not match the signature you provided",
      ),
    check: "call",
    fix: /check AWS_SECRET_ACCESS_KEY/,
  },
  {
    name: "SNS cannot be reached",
    inject: changeNothing,
    settings: { AWS_ENDPOINT_URL_SNS: "http://127.0.0.1:1" },
    check: "call",
    fix: /check AWS_REGION and the network/,
    consequences: ["check.queue"],
  },
];
