import { accountFaults, configurationSetFaults } from "./account-faults.ts";
import { credentialFaults } from "./credential-faults.ts";
import { domainFaults } from "./domain-faults.ts";
import type { Fault } from "./fault.ts";
import { mailFaults } from "./mail-faults.ts";
import { permissionFaults } from "./permission-faults.ts";
import { queueFaults } from "./queue-faults.ts";
import { topicFaults } from "./topic-faults.ts";

export const faults: Fault[] = [
  ...accountFaults,
  ...configurationSetFaults,
  ...topicFaults,
  ...queueFaults,
  ...domainFaults,
  ...permissionFaults,
  ...credentialFaults,
  ...mailFaults,
];
