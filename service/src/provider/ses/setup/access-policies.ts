/** The subset of a resource policy that Postern writes and compares. */
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

/**
 * The conditions name account and configuration set: without them any AWS customer could publish forged events via SES.
 */
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

/** Queue messages carry no signature to check, so this policy is the only protection against forged ones. */
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

/** AWS may change the case of names, the order of members and the spelling of one-element lists. */
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

/** A comparable text of the policy without its `Id` and `Sid`. Only action values ignore case. */
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
