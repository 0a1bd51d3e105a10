import { Option } from "commander";
import { type Role, roles } from "../../accounts/role.ts";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { MemberOptions } from "./members.ts";

const accountOption = "--account <EMAIL-or-ID>";
const accountText = "email of a user of the account, or the id of the account";

export function memberCommands(onDatabase: OnDatabase): PosternCommand[] {
  return [
    listMembersCommand(onDatabase),
    inviteCommand(onDatabase),
    setRoleCommand(onDatabase),
    removeMemberCommand(onDatabase),
  ];
}

function listMembersCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("list-members")
    .about("list the members of an account with their roles, oldest first")
    .requiredOption(accountOption, accountText)
    .example("postern admin list-members --account ada@example.com")
    .action(
      onDatabase(
        () => import("./members.ts"),
        ({ runListMembers }, { db }, { account }: { account: string }) => runListMembers(db, account),
      ),
    );
}

function inviteCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("invite")
    .about(
      "invite a person to an account; print the link once",
      "The link works once, for 7 days. A second invitation of the same address replaces the first. It needs the setting PUBLIC_URL of the " +
        "API. It sends no mail.",
    )
    .requiredOption(accountOption, accountText)
    .requiredOption("--email <EMAIL>", "email of the invited person")
    .addOption(roleOption())
    .example("postern admin invite --account ada@example.com --email jane@example.com --role developer")
    .action(
      onDatabase(
        () => import("./members.ts"),
        ({ runInvite }, context, options: MemberOptions & { role: Role }) => runInvite(context, options),
      ),
    );
}

function setRoleCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("set-role")
    .about("change the role of a member of an account", "The last owner of an account keeps the role.")
    .requiredOption(accountOption, accountText)
    .requiredOption("--email <EMAIL>", "email of the member")
    .addOption(roleOption())
    .example("postern admin set-role --account ada@example.com --email jane@example.com --role owner")
    .action(
      onDatabase(
        () => import("./members.ts"),
        ({ runSetRole }, { db }, options: MemberOptions & { role: Role }) => runSetRole(db, options),
      ),
    );
}

function removeMemberCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("remove-member")
    .about(
      "remove a member from an account and end the member's logins to it",
      "API keys that the member created stay valid. The last owner of an account cannot be removed.",
    )
    .requiredOption(accountOption, accountText)
    .requiredOption("--email <EMAIL>", "email of the member")
    .example("postern admin remove-member --account ada@example.com --email jane@example.com")
    .action(
      onDatabase(
        () => import("./members.ts"),
        ({ runRemoveMember }, { db }, options: MemberOptions) => runRemoveMember(db, options),
      ),
    );
}

function roleOption(): Option {
  const text = "viewer reads, developer also sends and manages, owner also manages members";
  return new Option("--role <ROLE>", text).choices(roles).makeOptionMandatory();
}
