import { describe, expect, test } from "vitest";
import { configProblems } from "../test/config-problems.ts";
import { anEnvironment } from "../test/test-config.ts";
import { readConfig } from "./config.ts";

describe("the provider", () => {
  const endpointKeys = ["AWS_ENDPOINT_URL_SESV2", "AWS_ENDPOINT_URL_SNS", "AWS_ENDPOINT_URL_SQS"] as const;
  const none = Object.fromEntries(endpointKeys.map((key) => [key, undefined]));

  const amazon = [
    "https://email.eu-central-1.amazonaws.com",
    "https://email.cn-north-1.amazonaws.com.cn",
    "https://email.eu-central-1.api.aws",
  ];
  const foreign = [
    "http://127.0.0.1:4579",
    "https://mail.example.com",
    "http://email.eu-central-1.amazonaws.com",
    "https://amazonaws.com.evil.test",
    "https://email.amazonaws.com.evil.test",
    "https://evilamazonaws.com",
    "https://email.amazonaws.com@evil.test",
    "https://evil.test?.amazonaws.com",
    "https://evil.test#.amazonaws.com",
    "https://evil.test\\.amazonaws.com",
  ];

  test.for(foreign)("real mail never goes to %s", (endpoint) => {
    for (const key of endpointKeys) {
      expect(configProblems({ ...none, POSTERN_PROVIDER: "ses", [key]: endpoint })).toEqual([
        `${key} is not an Amazon address; that is accepted only with POSTERN_PROVIDER=simulator`,
      ]);
    }
  });

  test.for(amazon)("real mail can go to %s, and simulated mail never does", (endpoint) => {
    for (const key of endpointKeys) {
      readConfig(anEnvironment({ ...none, POSTERN_PROVIDER: "ses", [key]: endpoint }));
      expect(configProblems({ [key]: endpoint })).toEqual([`${key} names Amazon, but POSTERN_PROVIDER is simulator`]);
    }
  });

  test.for(endpointKeys)("the simulator is refused without %s, because the default is Amazon's endpoint", (key) => {
    expect(configProblems({ [key]: undefined })).toEqual([
      `${key} is missing: POSTERN_PROVIDER=simulator needs all three endpoints`,
    ]);
  });

  test("AWS_ENDPOINT_URL replaces none of the three endpoints and does not redirect real mail", () => {
    const general = { AWS_ENDPOINT_URL: "https://mail.example.com" };
    expect(configProblems({ ...none, ...general })).toHaveLength(3);
    const { provider } = readConfig(anEnvironment({ ...none, ...general, POSTERN_PROVIDER: "ses" }));
    expect(provider.endpoints).toEqual({ ses: undefined, sns: undefined, sqs: undefined });
  });
});

describe("AWS_FEEDBACK_TOPIC_ARN", () => {
  test("is optional; without it account and partition are unknown", () => {
    const { provider } = readConfig(anEnvironment());
    expect(provider).toMatchObject({ feedbackTopicArn: undefined, awsAccountId: undefined, partition: undefined });
  });

  test.for([
    ["aws", "eu-central-1"],
    ["aws-cn", "cn-north-1"],
    ["aws-us-gov", "us-gov-west-1"],
  ])("provides the account and the partition %s", ([partition, region]) => {
    const arn = `arn:${partition}:sns:${region}:000000000042:postern-AA`;
    const { provider } = readConfig(anEnvironment({ AWS_REGION: region, AWS_FEEDBACK_TOPIC_ARN: arn }));
    expect(provider).toMatchObject({ feedbackTopicArn: arn, awsAccountId: "000000000042", partition });
  });

  const invalid = [
    "postern-AA",
    "arn:aws:sqs:eu-central-1:123456789012:postern-AA",
    "arn:aws:sns:eu-central-1:12345:postern-AA",
    "arn:aws:sns:eu-central-1:123456789012:postern-AA.fifo",
    "arn:aws:sns:eu-central-1:123456789012:postern-AA:6b0e71bd-7e97-4d97-80ce-4a0994e55286",
    " arn:aws:sns:eu-central-1:123456789012:postern-AA",
  ];
  test.for(invalid)("refuses %s, which is not a topic SES can publish to", (arn) => {
    expect(configProblems({ AWS_FEEDBACK_TOPIC_ARN: arn })).toEqual([
      "AWS_FEEDBACK_TOPIC_ARN must look like arn:aws:sns:eu-central-1:123456789012:postern-AA",
    ]);
  });

  test("refuses a topic of another region, together with all other problems", () => {
    const arn = "arn:aws:sns:us-east-1:123456789012:postern-AA";
    expect(configProblems({ AWS_FEEDBACK_TOPIC_ARN: arn, PORT: "70000" })).toEqual([
      expect.stringMatching(/^PORT /),
      "AWS_FEEDBACK_TOPIC_ARN is a topic in us-east-1, but AWS_REGION is eu-central-1",
    ]);
  });
});

describe("AWS_FEEDBACK_QUEUE_URL", () => {
  const withSes = {
    POSTERN_PROVIDER: "ses",
    AWS_ENDPOINT_URL_SESV2: undefined,
    AWS_ENDPOINT_URL_SNS: undefined,
    AWS_ENDPOINT_URL_SQS: undefined,
  };

  test.for([
    ["eu-central-1", "https://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA"],
    ["cn-north-1", "https://sqs.cn-north-1.amazonaws.com.cn/123456789012/postern-AA"],
  ])("names a queue of the region %s with SES", ([region, url]) => {
    const env = anEnvironment({ ...withSes, AWS_REGION: region, AWS_FEEDBACK_QUEUE_URL: url });
    expect(readConfig(env).provider.feedbackQueueUrl).toBe(url);
  });

  test.for([
    "http://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA",
    "https://sqs.us-east-1.amazonaws.com/123456789012/postern-AA",
    "https://sqs.eu-central-1.amazonaws.com:8443/123456789012/postern-AA",
    "https://sqs.eu-central-1.amazonaws.com.evil.test/123456789012/postern-AA",
    "https://sqs.eu-central-1.amazonaws.com@evil.test/123456789012/postern-AA",
    "http://127.0.0.1:4579/123456789012/postern-AA",
  ])("with SES refuses %s, which is not a queue of the region", (url) => {
    expect(configProblems({ ...withSes, AWS_FEEDBACK_QUEUE_URL: url })).toEqual([
      "AWS_FEEDBACK_QUEUE_URL must start with https://sqs.eu-central-1.amazonaws.com/, the queues of AWS_REGION",
    ]);
  });

  test("with the simulator is optional and can be any address but Amazon's", () => {
    const url = "http://127.0.0.1:4579/000000000000/postern-AA";
    expect(readConfig(anEnvironment({ AWS_FEEDBACK_QUEUE_URL: url })).provider.feedbackQueueUrl).toBe(url);
    expect(readConfig(anEnvironment()).provider.feedbackQueueUrl).toBeUndefined();
    const amazon = "https://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA";
    expect(configProblems({ AWS_FEEDBACK_QUEUE_URL: amazon })).toEqual([
      "AWS_FEEDBACK_QUEUE_URL names Amazon, but POSTERN_PROVIDER is simulator",
    ]);
  });

  test.for(["postern-AA", "https://sqs.eu-central-1.amazonaws.com/12345/postern-AA", "https://x/123456789012/a.fifo"])(
    "refuses %s, which is not the address of a queue",
    (url) => {
      expect(configProblems({ AWS_FEEDBACK_QUEUE_URL: url })).toEqual([
        "AWS_FEEDBACK_QUEUE_URL must look like https://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA",
      ]);
    },
  );
});
