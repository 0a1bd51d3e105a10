import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveToServer } from "./private-postgres.ts";

/** Makes a CA and, signed by it, the certificate of a server on 127.0.0.1. */
export function makeTestCa(folder: string, name: string) {
  const at = (file: string) => join(folder, `${name}-${file}`);
  const openssl = (command: string, files: string[]) =>
    execFileSync("openssl", [...command.split(" "), ...files], { stdio: "pipe" });
  const newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
  openssl(`req -x509 ${newKey} -days 2 -subj /CN=${name} -addext keyUsage=critical,keyCertSign`, [
    "-keyout",
    at("ca.key"),
    "-out",
    at("ca.pem"),
  ]);
  openssl(`req ${newKey} -subj /CN=database`, ["-keyout", at("server.key"), "-out", at("server.csr")]);
  writeFileSync(at("extensions"), "subjectAltName=IP:127.0.0.1\n");
  const signer = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-extfile", at("extensions")];
  openssl("x509 -req -CAcreateserial -days 2", ["-in", at("server.csr"), "-out", at("server.pem"), ...signer]);
  chmodSync(at("server.key"), 0o600);
  for (const file of ["server.key", "server.pem"]) giveToServer(at(file));
  return { caFile: at("ca.pem"), keyFile: at("server.key"), certificateFile: at("server.pem") };
}
