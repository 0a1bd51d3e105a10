import type { AccountDatabase, Statement } from "../src/db/database.ts";

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: PlanNode[];
}

export interface Cost {
  /** Rows read from tables and indexes, including rows that a filter removed. */
  rowsRead: number;
  pagesRead: number;
  /** Distinct scans, with the table in place of the partition. */
  scans: string[];
}

/** The total cost of the statements that `work` runs, as `explain (analyze)` reports it. */
export async function costOf(db: AccountDatabase, work: (db: AccountDatabase) => Promise<unknown>): Promise<Cost> {
  const statements: Statement[] = [];
  const observed: AccountDatabase = {
    ...db,
    query: (statement) => {
      statements.push(statement);
      return db.query(statement);
    },
  };
  await work(observed);
  if (statements.length === 0) throw new Error("the work ran no statement");
  const plans: PlanNode[] = [];
  for (const statement of statements) plans.push(await explain(db, statement));
  const scans = plans.flatMap(nodesOf).filter((node) => node["Relation Name"] !== undefined);
  return {
    rowsRead: scans.reduce((sum, node) => sum + rowsOf(node), 0),
    pagesRead: plans.reduce(
      (sum, plan) => sum + (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0),
      0,
    ),
    scans: [...new Set(scans.filter((node) => rowsOf(node) > 0).map(nameOf))].toSorted(),
  };
}

async function explain(db: AccountDatabase, statement: Statement): Promise<PlanNode> {
  const [row] = await db.query<{ "QUERY PLAN": { Plan: PlanNode }[] }>({
    ...statement,
    name: "explain",
    text: `explain (analyze, buffers, format json) ${statement.text}`,
    isPlannedEachTime: true,
  });
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  if (plan === undefined) throw new Error("PostgreSQL returned no plan");
  return plan;
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function rowsOf(node: PlanNode): number {
  return (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
}

function nameOf(node: PlanNode): string {
  return `${node["Node Type"]} on ${(node["Relation Name"] ?? "").replace(/_(default|\d{4}_\d{2}.*)$/, "")}`;
}
