import { expect, test } from "vitest";
import { isPublic, reachServer } from "./reachable-server.ts";

test.each([
  "127.0.0.1",
  "10.1.2.3",
  "100.64.0.1",
  "169.254.169.254",
  "172.31.0.1",
  "192.168.1.1",
  "0.0.0.0",
  "224.0.0.251",
  "255.255.255.255",
  "::1",
  "::ffff:10.0.0.1",
  "::ffff:a00:1",
  "fe80::1",
  "fd00::53",
  "64:ff9b::a00:1",
  "2002:a00:1::1",
  "2001:db8::1",
])("the name server address %s of an internal network is not asked", (address) => {
  expect(isPublic(address)).toBe(false);
  expect(reachServer([])(address)).toBeUndefined();
});

test.each(["8.8.8.8", "172.32.0.1", "2606:4700::1"])("the public address %s is asked at port 53", (host) => {
  expect(reachServer([])(host)).toEqual({ host, port: 53 });
});

test("an internal address is asked when it is a resolver of this installation, at its port", () => {
  const own = { host: "10.0.0.2", port: 5353 };
  expect(reachServer([own])("10.0.0.2")).toEqual(own);
  expect(reachServer([own])("10.0.0.3")).toBeUndefined();
});
