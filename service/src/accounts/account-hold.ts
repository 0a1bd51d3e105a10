/**
 * SQL: the mail of the account waits in this mode, because the account is suspended, or the operator or the guard holds it. The guard
 * holds live mail only: test mail reaches nobody, and a customer can test a fix with it. Each cause ends by itself alone.
 */
export function isStopped(account: string, mode: string): string {
  return `(
    ${account}.suspended_at is not null
    or ${account}.held_at is not null
    or (${mode} = 'live' and ${account}.guard_held_at is not null)
  )`;
}

/**
 * SQL: why the mail of the account is on hold in this mode; null when it is not. The note of an operator is not shown to customers:
 * `postern admin hold` asks for it as a note for `postern status`.
 */
export function holdReason(account: string, mode: string): string {
  return `case
      when ${account}.held_at is not null then '${operatorHoldReason}'
      when ${mode} = 'live' then ${account}.guard_reason end`;
}

const operatorHoldReason =
  "The operator of this installation has put the mail of the account on hold. Ask the operator when it goes on.";
