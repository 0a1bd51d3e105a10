import {
  CreateTenantCommand,
  CreateTenantResourceAssociationCommand,
  DeleteTenantResourceAssociationCommand,
  type SESv2Client,
} from "@aws-sdk/client-sesv2";
import type { EmailProvider } from "../email-provider.ts";
import type { ControlCall } from "./control-call.ts";

type TenantCalls = Pick<
  EmailProvider,
  "createTenant" | "addConfigurationSetToTenant" | "addIdentityToTenant" | "removeIdentityFromTenant"
>;

const exists = { AlreadyExistsException: "exists" } as const;

export function tenantCalls(client: SESv2Client, call: ControlCall, arnPrefix: string): TenantCalls {
  const add = async (TenantName: string, resource: string) => {
    const command = new CreateTenantResourceAssociationCommand({ TenantName, ResourceArn: `${arnPrefix}${resource}` });
    return (await call((deadline) => client.send(command, deadline), exists)) === "exists" ? "exists" : "created";
  };
  return {
    async createTenant(TenantName) {
      const command = new CreateTenantCommand({ TenantName });
      return (await call((deadline) => client.send(command, deadline), exists)) === "exists" ? "exists" : "created";
    },
    addConfigurationSetToTenant: (tenantName, setName) => add(tenantName, `configuration-set/${setName}`),
    addIdentityToTenant: (tenantName, domainName) => add(tenantName, `identity/${domainName}`),
    async removeIdentityFromTenant(TenantName, domainName) {
      const ResourceArn = `${arnPrefix}identity/${domainName}`;
      const command = new DeleteTenantResourceAssociationCommand({ TenantName, ResourceArn });
      await call((deadline) => client.send(command, deadline), { NotFoundException: undefined });
    },
  };
}
