import { type Part, partsOf } from "../../service/src/db/schema-steps.ts";
import { kindOf, type ParsedStatement, parseSql, type QualifiedName } from "./parsed-sql.ts";
import { refusedCommands } from "./table-commands.ts";

/** What earlier steps made. */
interface Schema {
  partitioned: ReadonlySet<string>;
}

interface Place extends Schema {
  part: Part["kind"] | undefined;
  /** Tables that the same step creates, and new functions as `name()`: no older code uses them. */
  created: ReadonlySet<string>;
}

/**
 * Why an expand step could stop code of the release before it, or block its statements; empty when it is permitted. Statements that are
 * not known to be safe are refused.
 */
export async function lintExpandStep(sql: string, schema: Schema): Promise<string[]> {
  const problems = sql.startsWith("-- Expands. ") ? [] : ["the first line does not begin with `-- Expands. `"];
  const parts = partsOf(sql);
  if (parts.length === 0)
    return [...problems, ...(await lintTogether(sql, { ...schema, part: undefined, created: new Set() }))];
  const before = sql.slice(0, sql.search(/^-- (step|repeat|partitioned index):/m));
  if ((await parseSql(before)).length > 0) problems.push("statements before the first part");
  const created = new Set<string>();
  for (const { kind, about, sql: partSql } of parts) {
    const found = await lintTogether(partSql, { ...schema, part: kind, created });
    problems.push(...found.map((problem) => `${kind} "${about}": ${problem}`));
    for (const table of createdBy(await parseSql(partSql))) created.add(table);
  }
  return problems;
}

/** The statements of one transaction. */
async function lintTogether(sql: string, place: Place): Promise<string[]> {
  const statements = await parseSql(sql);
  const created = new Set([...place.created, ...createdBy(statements)]);
  return [
    ...(place.part !== undefined && statements.length !== 1 ? [`${statements.length} statements instead of one`] : []),
    ...statements.flatMap((statement) => refused(statement, { ...place, created })),
    ...(place.part === undefined ? [] : statements.flatMap((statement) => notRepeatable(statement, place.part))),
    ...validatedTooEarly(statements),
  ];
}

function createdBy(statements: ParsedStatement[]): string[] {
  return statements.flatMap(({ CreateStmt: table, CreateFunctionStmt: made }) => [
    ...(table === undefined ? [] : [table.relation.relname]),
    ...(made === undefined || made.replace ? [] : [functionName(made.funcname)]),
  ]);
}

/** In brackets, so that a function does not count as a table of its name. */
function functionName(name: QualifiedName): string {
  return `${name.at(-1)?.String.sval}()`;
}

function isSafeGrant(grant: ParsedStatement["GrantStmt"], place: Place): boolean {
  if (grant?.is_grant === true) return true;
  const isOfNewFunctions = grant?.objects.every(
    ({ ObjectWithArgs: named }) => named !== undefined && place.created.has(functionName(named.objname)),
  );
  return grant?.objtype === "OBJECT_FUNCTION" && isOfNewFunctions === true;
}

function refused(statement: ParsedStatement, place: Place): string[] {
  const { AlterTableStmt: alter, IndexStmt: index, UpdateStmt: update, DeleteStmt: remove } = statement;
  if (index !== undefined) return refusedIndex(index, place);
  if (place.part === "partitioned index") return ["not an index"];
  if (alter !== undefined) {
    if (alter.objtype !== "OBJECT_TABLE") return [`alter of ${alter.objtype} is not known to be safe for older code`];
    return place.created.has(alter.relation.relname)
      ? []
      : refusedCommands(alter.cmds.map(({ AlterTableCmd: command }) => command));
  }
  const changed = update?.relation ?? remove?.relation;
  if (changed !== undefined) {
    const isBatch = place.part === "repeat" || place.created.has(changed.relname);
    return isBatch ? [] : [`change of ${changed.relname}: a backfill runs in batches, as \`-- repeat:\``];
  }
  switch (kindOf(statement)) {
    case "CreateStmt":
    case "InsertStmt":
    case "CreateFunctionStmt":
    case "CreateTrigStmt":
    case "ViewStmt":
    case "CreateSeqStmt":
    case "CommentStmt":
      return [];
    case "CreatePolicyStmt":
      return place.created.has(statement.CreatePolicyStmt?.table.relname ?? "")
        ? []
        : ["a policy of an existing table"];
    case "GrantStmt":
      return isSafeGrant(statement.GrantStmt, place) ? [] : ["revoke: older code may need the right"];
    case "DropStmt":
      return ["drop: belongs into a contract step, one release after the last code that needs it"];
    case "RenameStmt":
      return ["rename: older code uses the old name"];
    case "DoStmt":
      return ["do: the linter cannot read its body. Write the statements themselves"];
    default:
      return [`${kindOf(statement)} is not known to be safe for older code`];
  }
}

function refusedIndex(
  { relation: { relname }, concurrent = false }: NonNullable<ParsedStatement["IndexStmt"]>,
  place: Place,
) {
  const isPartitioned = place.partitioned.has(relname);
  if (place.part === "partitioned index") {
    if (concurrent) return ["`concurrently` is added for each partition"];
    return isPartitioned ? [] : [`${relname} has no partitions: use \`-- step:\` and \`concurrently\``];
  }
  if (place.created.has(relname)) return [];
  if (isPartitioned) return [`index of ${relname}, which has partitions: use \`-- partitioned index:\``];
  return concurrent && place.part === "step"
    ? []
    : [`index of ${relname}, which exists: use \`-- step:\` and \`create index concurrently if not exists\``];
}

/** A part that was interrupted runs again. */
function notRepeatable(statement: ParsedStatement, part: Part["kind"] | undefined): string[] {
  const { CreateStmt: create, IndexStmt: index, InsertStmt: insert, AlterTableStmt: alter } = statement;
  const missing = [
    create !== undefined && create.if_not_exists !== true,
    index !== undefined && part === "step" && index.if_not_exists !== true,
    insert !== undefined && part === "step" && insert.onConflictClause === undefined,
    statement.CreateFunctionStmt !== undefined && statement.CreateFunctionStmt.replace !== true,
    statement.CreateTrigStmt !== undefined && statement.CreateTrigStmt.replace !== true,
    statement.ViewStmt !== undefined && statement.ViewStmt.replace !== true,
    statement.CreateSeqStmt !== undefined && statement.CreateSeqStmt.if_not_exists !== true,
    statement.CreatePolicyStmt !== undefined,
  ];
  const commands = alter?.cmds.map(({ AlterTableCmd: command }) => command) ?? [];
  const dropped = commands.filter(({ subtype, missing_ok: isOk }) => subtype === "AT_DropConstraint" && isOk === true);
  const notAgain = commands.filter(
    ({ subtype, def, missing_ok: isOk }) =>
      (subtype === "AT_AddColumn" && isOk !== true) ||
      (subtype === "AT_DropConstraint" && isOk !== true) ||
      (subtype === "AT_AddConstraint" && !dropped.some(({ name }) => name === def?.Constraint?.conname)),
  );
  if (missing.includes(true) || notAgain.length > 0) {
    return [
      "a part must be repeatable: `if not exists`, `or replace`, `on conflict`, or `drop constraint if exists` before the constraint",
    ];
  }
  return [];
}

/** Validation reads the whole table, and until its transaction ends the lock of the change before it stops every other statement. */
function validatedTooEarly(statements: ParsedStatement[]): string[] {
  const commands = statements.flatMap(({ AlterTableStmt: alter }) => alter?.cmds ?? []);
  const subtypes = new Set(commands.map(({ AlterTableCmd: { subtype } }) => subtype));
  if (!subtypes.has("AT_ValidateConstraint") || subtypes.size === 1) return [];
  return ["validate constraint: in a part or step of its own, after the one that adds the constraint"];
}
