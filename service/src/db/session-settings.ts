/**
 * The timeouts give up a connection that broke without an error early enough that Postern serves requests again 15 s after
 * the network has recovered.
 */
export const defaultTimeoutMs = 8_000;
const idleInTransactionTimeoutMs = 15_000;

/**
 * 1. Every statement of Postern finds its rows by an index. A connection keeps its plans, so a sequential scan planned while a
 *    table was small would stay in use when it has grown: measured, 40 requests took 4.6 s instead of 20 ms.
 * 2. JIT compilation takes longer than any statement of Postern, and a wrong estimate can start it for each of them.
 */
const plannerAndZone = { enable_seqscan: "off", jit: "off", timezone: "UTC" };

/**
 * TCP keepalive of the server, for every connection. Without it PostgreSQL keeps the session and the locks of a client
 * that the network cut off for two hours. With it the server probes an idle client after 30 s and ends the session 20 s later.
 */
const keepalive = { tcp_keepalives_idle: "30", tcp_keepalives_interval: "5", tcp_keepalives_count: "4" };
export const tcpKeepalive = asOptions(keepalive);

/** What Postern sends when it connects to PostgreSQL itself. A pooler would refuse or ignore these. */
export function sessionSettings(statementTimeoutMs: number) {
  return {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    options: `${asOptions(plannerAndZone)} ${tcpKeepalive}`,
  };
}

/** The same settings for the sessions that a pooler opens, as PostgreSQL shows them. A start reads them back. */
export const pooledSessionSettings: Record<string, string> = {
  ...plannerAndZone,
  statement_timeout: `${defaultTimeoutMs / 1000}s`,
  idle_in_transaction_session_timeout: `${idleInTransactionTimeoutMs / 1000}s`,
};

/**
 * What `postern migrate` stores with the role. Add an expand step with a change, an empty one if there is no other: a process that
 * starts before `postern migrate` waits for missing steps only, and is refused while the role lacks a setting. The keepalive is not
 * read back: over a Unix socket PostgreSQL shows 0.
 */
export const roleSettings = { ...pooledSessionSettings, ...keepalive };

/** For direct connections whose statements may take long: cancels the settings that a role has for a pooler. */
export const withoutLimits = asOptions({
  enable_seqscan: "on",
  statement_timeout: "0",
  idle_in_transaction_session_timeout: "0",
});

function asOptions(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
}
