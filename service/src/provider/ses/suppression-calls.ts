import {
  DeleteSuppressedDestinationCommand,
  ListSuppressedDestinationsCommand,
  type SESv2Client,
} from "@aws-sdk/client-sesv2";
import type { EmailProvider } from "../email-provider.ts";
import type { ControlCall } from "./control-call.ts";

type SuppressionCalls = Pick<EmailProvider, "removeSuppressedAddress" | "listSuppressedAddresses">;

const pageSize = 1_000;

/** The suppression list of the AWS account, which is one for all accounts of Postern. */
export function suppressionCalls(client: SESv2Client, call: ControlCall): SuppressionCalls {
  return {
    async removeSuppressedAddress(address) {
      const command = new DeleteSuppressedDestinationCommand({ EmailAddress: address });
      await call((deadline) => client.send(command, deadline), { NotFoundException: undefined });
    },
    async listSuppressedAddresses(after) {
      const command = new ListSuppressedDestinationsCommand({ PageSize: pageSize, NextToken: after });
      const { SuppressedDestinationSummaries = [], NextToken } = await call((deadline) =>
        client.send(command, deadline),
      );
      const addresses = SuppressedDestinationSummaries.flatMap(({ EmailAddress, Reason }) =>
        EmailAddress === undefined ? [] : [{ address: EmailAddress, isComplaint: Reason === "COMPLAINT" }],
      );
      return { addresses, next: NextToken };
    },
  };
}
