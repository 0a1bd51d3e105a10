/** The part of a resource policy that Postern writes and reads back. */
export interface AccessPolicy {
  Version: "2012-10-17";
  Statement: AccessStatement[];
}

interface AccessStatement {
  Sid: string;
  Effect: "Allow";
  Principal: { Service: string };
  Action: string;
  Resource: string;
  Condition: Record<string, Record<string, string>>;
}

/** Bound to account and configuration set: otherwise any AWS customer's SES could tell us stories about our mail. */
export function topicPolicy(topicArn: string, configurationSetName: string): AccessPolicy {
  const [, partition, , region, accountId = ""] = topicArn.split(":");
  return policyOf({
    Sid: "PosternSesEvents",
    Effect: "Allow",
    Principal: { Service: "ses.amazonaws.com" },
    Action: "sns:Publish",
    Resource: topicArn,
    Condition: {
      StringEquals: {
        "AWS:SourceAccount": accountId,
        "AWS:SourceArn": `arn:${partition}:ses:${region}:${accountId}:configuration-set/${configurationSetName}`,
      },
    },
  });
}

/** Nothing in the queue is signed for us, so this is what makes its content ours. */
export function queuePolicy(queueArn: string, topicArn: string): AccessPolicy {
  return policyOf({
    Sid: "PosternFeedback",
    Effect: "Allow",
    Principal: { Service: "sns.amazonaws.com" },
    Action: "sqs:SendMessage",
    Resource: queueArn,
    Condition: { ArnEquals: { "aws:SourceArn": topicArn } },
  });
}

/** AWS may write the case of names, the order of members and lists of one in its own way. */
export function isSamePolicy(text: string | undefined, wanted: AccessPolicy): boolean {
  try {
    return canonical(JSON.parse(text ?? "")) === canonical(wanted);
  } catch {
    return false;
  }
}

function policyOf(statement: AccessStatement): AccessPolicy {
  return { Version: "2012-10-17", Statement: [statement] };
}

/** What is allowed to whom, without the names that a policy and its statements have. Only actions ignore case. */
function canonical(value: unknown, isAction = false): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item, isAction));
    return items.length === 1 ? (items[0] ?? "") : `[${items.toSorted().join()}]`;
  }
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value);
    return isAction ? text.toLowerCase() : text;
  }
  const members = Object.entries(value)
    .filter(([name]) => name !== "Sid" && name !== "Id")
    .map(([name, member]) => `${name.toLowerCase()}:${canonical(member, name === "Action")}`);
  return `{${members.toSorted().join()}}`;
}
