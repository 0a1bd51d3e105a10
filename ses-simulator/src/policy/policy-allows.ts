export interface Access {
  service: string;
  action: string;
  sourceArn: string;
  sourceAccount: string;
}

interface Statement {
  Effect?: string;
  Principal?: "*" | Record<string, string | string[]>;
  Action?: string | string[];
  Condition?: Record<string, Record<string, string | string[]>>;
}

/** The part of IAM that decides whether SES can publish to a topic and SNS can write to a queue. No policy, no access. */
export function policyAllows(policy: string | undefined, access: Access): boolean {
  const applying = statementsOf(policy).filter((statement) => applies(statement, access));
  return applying.some(({ Effect }) => Effect === "Allow") && !applying.some(({ Effect }) => Effect === "Deny");
}

/** SetQueueAttributes and SetTopicAttributes refuse a value that is not a policy. */
export function isPolicy(text: string): boolean {
  try {
    const policy: unknown = JSON.parse(text);
    return typeof policy === "object" && policy !== null && "Statement" in policy;
  } catch {
    return false;
  }
}

function statementsOf(policy: string | undefined): Statement[] {
  if (policy === undefined || policy === "" || !isPolicy(policy)) return [];
  const { Statement }: { Statement: Statement | Statement[] } = JSON.parse(policy);
  return listOf(Statement);
}

function applies(statement: Statement, access: Access): boolean {
  return (
    matchesPrincipal(statement.Principal, access.service) &&
    matchesAction(statement.Action, access.action) &&
    meetsConditions(statement, access)
  );
}

function matchesPrincipal(principal: Statement["Principal"], service: string): boolean {
  if (principal === "*" || principal === undefined) return principal === "*";
  return listOf(principal.Service).includes(service) || listOf(principal.AWS).includes("*");
}

function matchesAction(actions: Statement["Action"], action: string): boolean {
  return listOf(actions).some((pattern) => matchesPattern(pattern.toLowerCase(), action.toLowerCase()));
}

/** Every condition must hold. An unknown condition does not hold. */
function meetsConditions({ Condition = {} }: Statement, access: Access): boolean {
  return Object.entries(Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, values]) => {
      const actual = actualValue(key.toLowerCase(), access);
      return actual !== undefined && listOf(values).some((expected) => holds(operator, expected, actual));
    }),
  );
}

function actualValue(key: string, access: Access): string | undefined {
  switch (key) {
    case "aws:sourcearn":
      return access.sourceArn;
    case "aws:sourceaccount":
      return access.sourceAccount;
    default:
      return undefined;
  }
}

function holds(operator: string, expected: string, actual: string): boolean {
  switch (operator) {
    case "StringEquals":
      return expected === actual;
    case "ArnEquals":
    case "ArnLike":
    case "StringLike":
      return matchesPattern(expected, actual);
    default:
      return false;
  }
}

function matchesPattern(pattern: string, text: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${escaped}$`).test(text);
}

function listOf<Item>(value: Item | Item[] | undefined): Item[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
