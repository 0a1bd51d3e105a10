import type { ColumnDefinition, Constraint, TableCommand } from "./parsed-sql.ts";

const contractLater = "belongs into a contract step, one release after the last code that needs it";

/** Changes that neither rewrite the table nor refuse what older code writes. */
const harmless = new Set([
  "AT_DropNotNull",
  "AT_SetStatistics",
  "AT_SetOptions",
  "AT_SetRelOptions",
  "AT_ResetRelOptions",
  "AT_SetStorage",
  "AT_ValidateConstraint",
]);

/** Why commands of one `alter table` on an existing table are refused; empty when they are permitted. */
export function refusedCommands(commands: TableCommand[]): string[] {
  const added = commands.flatMap(({ subtype, def }) => (subtype === "AT_AddConstraint" ? (def?.Constraint ?? []) : []));
  return commands.flatMap((command) => refusedCommand(command, added));
}

function refusedCommand({ subtype, name, def }: TableCommand, added: Constraint[]): string[] {
  if (harmless.has(subtype)) return [];
  switch (subtype) {
    case "AT_AddColumn":
      return def?.ColumnDef === undefined ? [`${subtype} without a column`] : refusedColumn(def.ColumnDef);
    case "AT_AddConstraint":
      return def?.Constraint === undefined ? [`${subtype} without a constraint`] : refusedConstraint(def.Constraint);
    case "AT_ColumnDefault":
      return def === undefined ? ["drop default: older code may rely on it"] : [];
    case "AT_DropColumn":
      return [`drop column ${name}: ${contractLater}`];
    case "AT_DropConstraint":
      return added.some(({ conname, contype }) => conname === name && contype === "CONSTR_CHECK")
        ? []
        : [
            `drop constraint ${name}: only in one statement with a wider check of the same name, added as \`not valid\`; otherwise it ${contractLater}`,
          ];
    case "AT_AlterColumnType":
      return [
        `type of ${name}: add a column of the new type, fill it in batches, and drop the old one in a contract step`,
      ];
    case "AT_SetNotNull":
      return [`set not null on ${name}: older code may write null. It ${contractLater}`];
    default:
      return [`${subtype} is not known to be safe for older code`];
  }
}

function refusedColumn({ colname, typeName, constraints = [] }: ColumnDefinition): string[] {
  const all = constraints.map(({ Constraint: constraint }) => constraint);
  const initial = all.find(({ contype }) => contype === "CONSTR_DEFAULT");
  const isSerial = (typeName?.names ?? []).some(({ String: part }) => /^(small|big)?serial$/.test(part?.sval ?? ""));
  return [
    ...(isSerial ? [`column ${colname}: a serial column rewrites the table`] : []),
    ...all.flatMap(({ contype }) => {
      switch (contype) {
        case "CONSTR_NULL":
        case "CONSTR_DEFAULT":
          return [];
        case "CONSTR_NOTNULL":
          return initial === undefined
            ? [`column ${colname}: \`not null\` without a default, so older code cannot insert`]
            : [];
        default:
          return [
            `column ${colname}: ${contype} checks or rewrites the whole table. Add it as a constraint with \`not valid\``,
          ];
      }
    }),
    ...(initial !== undefined && !isConstant(initial.raw_expr)
      ? [`column ${colname}: a default that PostgreSQL computes for each row rewrites the table`]
      : []),
  ];
}

/** A constant, a cast of one, or `now()`, which is the same for all rows of the statement. */
function isConstant(expression: Record<string, unknown> | undefined): boolean {
  const text = JSON.stringify(expression ?? {});
  const calls = [...text.matchAll(/"FuncCall":\{"funcname":\[\{"String":\{"sval":"(\w+)"/g)].map(([, name]) => name);
  return calls.every((name) => name === "now") && !text.includes('"SubLink"');
}

function refusedConstraint({ contype, conname, skip_validation = false, indexname }: Constraint): string[] {
  switch (contype) {
    case "CONSTR_CHECK":
    case "CONSTR_FOREIGN":
      return skip_validation
        ? []
        : [`constraint ${conname}: add it as \`not valid\`, and validate it in a later part or step`];
    case "CONSTR_UNIQUE":
    case "CONSTR_PRIMARY":
      return indexname === undefined
        ? [`constraint ${conname}: build its index concurrently, then add it \`using index\``]
        : [];
    default:
      return [`constraint ${conname}: ${contype} is not known to be safe for older code`];
  }
}
