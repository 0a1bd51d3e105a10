import { expect, test } from "vitest";
import { anEndpoint } from "../../../../test/an-endpoint.ts";
import { createQueue, queueCalls } from "./queue-calls.ts";

test("a queue that SQS refuses to create because it exists with other attributes is found by its name", async () => {
  const answers = [
    { status: 400, body: `{"__type":"com.amazonaws.sqs#QueueNameExists","message":"It has a different attribute."}` },
    { status: 200, body: `{"QueueUrl":"https://sqs.eu-west-1.amazonaws.com/123456789012/postern-AA"}` },
  ];
  const endpoint = await anEndpoint(() => answers.shift() ?? { status: 500, body: "" });
  const url = await createQueue(queueCalls("eu-west-1", endpoint.url), "postern-AA");
  expect(url).toBe("https://sqs.eu-west-1.amazonaws.com/123456789012/postern-AA");
  expect(endpoint.requests()).toBe(2);
});
