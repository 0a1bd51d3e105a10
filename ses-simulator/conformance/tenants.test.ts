import {
  AlreadyExistsException,
  BadRequestException,
  CreateConfigurationSetCommand,
  CreateTenantCommand,
  CreateTenantResourceAssociationCommand,
  DeleteTenantCommand,
  DeleteTenantResourceAssociationCommand,
  GetTenantCommand,
  ListTenantResourcesCommand,
  ListTenantsCommand,
  NotFoundException,
  SendEmailCommand,
  SendingPausedException,
} from "@aws-sdk/client-sesv2";
import { describe, expect, test } from "vitest";
import { aMail } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();
const create = (TenantName: string) => running.ses.send(new CreateTenantCommand({ TenantName }));
const arn = (resource: string) => `arn:aws:ses:eu-west-1:000000000000:${resource}`;
const add = (TenantName: string, resource: string) =>
  running.ses.send(new CreateTenantResourceAssociationCommand({ TenantName, ResourceArn: arn(resource) }));

/** Fact sheet, section 4 (tenants). */
describe("tenants", () => {
  test("a tenant is created once, found, listed and deleted", async () => {
    const created = await create("t-1");
    expect(created).toMatchObject({ TenantName: "t-1", SendingStatus: "ENABLED", CreatedTimestamp: expect.any(Date) });
    expect(created.TenantArn).toBe(arn(`tenant/t-1/${created.TenantId}`));
    await expect(create("t-1")).rejects.toBeInstanceOf(AlreadyExistsException);
    const found = await running.ses.send(new GetTenantCommand({ TenantName: "t-1" }));
    expect(found.Tenant).toMatchObject({ TenantName: "t-1", TenantId: created.TenantId });
    expect((await running.ses.send(new ListTenantsCommand({}))).Tenants).toMatchObject([{ TenantName: "t-1" }]);
    await running.ses.send(new DeleteTenantCommand({ TenantName: "t-1" }));
    await expect(running.ses.send(new GetTenantCommand({ TenantName: "t-1" }))).rejects.toBeInstanceOf(
      NotFoundException,
    );
    for (const wrong of ["", "a b", "x".repeat(65)]) {
      await expect(create(wrong)).rejects.toBeInstanceOf(BadRequestException);
    }
  });

  test("a resource is associated once, listed, and removed once", async () => {
    await create("t-2");
    await add("t-2", "identity/shop.test");
    await expect(add("t-2", "identity/shop.test")).rejects.toBeInstanceOf(AlreadyExistsException);
    const list = async () =>
      (await running.ses.send(new ListTenantResourcesCommand({ TenantName: "t-2" }))).TenantResources;
    expect(await list()).toEqual([{ ResourceType: "EMAIL_IDENTITY", ResourceArn: arn("identity/shop.test") }]);
    const remove = () =>
      running.ses.send(
        new DeleteTenantResourceAssociationCommand({ TenantName: "t-2", ResourceArn: arn("identity/shop.test") }),
      );
    await remove();
    expect(await list()).toEqual([]);
    await expect(remove()).rejects.toBeInstanceOf(NotFoundException);
  });

  test("neither a missing resource, nor one of another account, nor a missing tenant can be associated", async () => {
    await create("t-3");
    await expect(add("t-3", "identity/none.test")).rejects.toBeInstanceOf(NotFoundException);
    await expect(add("none", "identity/shop.test")).rejects.toBeInstanceOf(NotFoundException);
    await expect(add("t-3", "topic/x")).rejects.toBeInstanceOf(BadRequestException);
    const ResourceArn = arn("identity/shop.test").replace("000000000000", "999999999999");
    const foreign = new CreateTenantResourceAssociationCommand({ TenantName: "t-3", ResourceArn });
    await expect(running.ses.send(foreign)).rejects.toBeInstanceOf(NotFoundException);
  });

  test("a mail with a tenant is accepted only with both associations, and the error names each missing one", async () => {
    await create("t-4");
    await running.ses.send(new CreateConfigurationSetCommand({ ConfigurationSetName: "Set-4" }));
    const send = () =>
      running.ses.send(new SendEmailCommand(aMail({ TenantName: "t-4", ConfigurationSetName: "Set-4" })));
    const refusal = async () => (await send().catch((error: unknown) => error)) as Error;
    const [identity, set] = [arn("identity/shop.test"), arn("configuration-set/Set-4")];
    expect(await refusal()).toMatchObject({
      name: "AccessDeniedException",
      message: `Tenant not associated with resources [${identity}, ${set}]`,
    });
    await add("t-4", "identity/shop.test");
    expect((await refusal()).message).toBe(`Tenant not associated with resources [${set}]`);
    await add("t-4", "configuration-set/Set-4");
    const { MessageId } = await send();
    expect((await running.control("GET", `ledger/${MessageId}`)).body).toMatchObject({ tenantName: "t-4" });
  });

  test("a paused tenant cannot send, and others can", async () => {
    await create("t-5");
    await add("t-5", "identity/shop.test");
    const send = (TenantName: string) => running.ses.send(new SendEmailCommand(aMail({ TenantName })));
    await running.control("PATCH", "tenants/t-5", { sendingStatus: "DISABLED" });
    await expect(send("t-5")).rejects.toBeInstanceOf(SendingPausedException);
    await running.ses.send(new SendEmailCommand(aMail()));
    await running.control("PATCH", "tenants/t-5", { sendingStatus: "REINSTATED" });
    await send("t-5");
    expect((await running.control("PATCH", "tenants/none", { sendingStatus: "ENABLED" })).status).toBe(404);
    expect((await running.control("PATCH", "tenants/t-5", { sendingStatus: "ASLEEP" })).status).toBe(400);
  });
});
