/** Codes of Node for a certificate of the server that this process does not accept, and what the operator can do. */
const unknownIssuer =
  "Set DATABASE_CA_FILE to the certificate of the CA that signed the certificate of the server; if it is set, it names another CA";
const adviceByCode = new Map([
  ["SELF_SIGNED_CERT_IN_CHAIN", unknownIssuer],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", unknownIssuer],
  ["UNABLE_TO_GET_ISSUER_CERT", unknownIssuer],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", unknownIssuer],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", unknownIssuer],
  ["CERT_SIGNATURE_FAILURE", unknownIssuer],
  ["CERT_HAS_EXPIRED", "Renew the certificate of the server or of its CA"],
  ["CERT_NOT_YET_VALID", "Correct the clock of this machine, or renew the certificate of the server"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "Use a host name in DATABASE_URL that the certificate of the server contains"],
]);

/** Undefined unless the connection failed because of TLS. */
export function adviceOnTls(error: Error): string | undefined {
  if (error.message === "The server does not support SSL connections") {
    return "Switch TLS on at the server, or set sslmode=disable in DATABASE_URL";
  }
  return "code" in error ? adviceByCode.get(String(error.code)) : undefined;
}
