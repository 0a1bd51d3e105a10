import { parse } from "libpg-query";

/** The parts of PostgreSQL's parse tree that the linter reads. */
export interface Constraint {
  contype: string;
  conname?: string;
  /** `not valid`. */
  skip_validation?: boolean;
  /** Of `using index`. */
  indexname?: string;
  raw_expr?: Record<string, unknown>;
}

export interface ColumnDefinition {
  colname: string;
  typeName?: { names?: { String?: { sval: string } }[] };
  constraints?: { Constraint: Constraint }[];
}

export interface TableCommand {
  subtype: string;
  name?: string;
  missing_ok?: boolean;
  def?: { ColumnDef?: ColumnDefinition; Constraint?: Constraint };
}

interface Relation {
  relname: string;
}

/** The schema, if it is given, and the name. */
export type QualifiedName = { String: { sval: string } }[];

/** One field for each kind of statement; exactly one is there. */
export interface ParsedStatement {
  CreateStmt?: { relation: Relation; partspec?: unknown; if_not_exists?: boolean };
  AlterTableStmt?: { relation: Relation; cmds: { AlterTableCmd: TableCommand }[]; objtype: string };
  IndexStmt?: { relation: Relation; concurrent?: boolean; if_not_exists?: boolean };
  InsertStmt?: { relation: Relation; onConflictClause?: unknown };
  UpdateStmt?: { relation: Relation };
  DeleteStmt?: { relation: Relation };
  CreateFunctionStmt?: { replace?: boolean; funcname: QualifiedName };
  CreateTrigStmt?: { relation: Relation; replace?: boolean };
  ViewStmt?: { replace?: boolean };
  CreatePolicyStmt?: { table: Relation };
  GrantStmt?: { is_grant?: boolean; objtype: string; objects: { ObjectWithArgs?: { objname: QualifiedName } }[] };
  CommentStmt?: unknown;
  CreateSeqStmt?: { if_not_exists?: boolean };
  [other: string]: unknown;
}

/** By the parser of PostgreSQL 18 itself. */
export async function parseSql(sql: string): Promise<ParsedStatement[]> {
  const { stmts = [] } = await parse(sql);
  // The library types every node of PostgreSQL; the fields above are the ones that are read here.
  return stmts.map(({ stmt }) => stmt as ParsedStatement);
}

export function kindOf(statement: ParsedStatement): string {
  return Object.keys(statement)[0] ?? "";
}
