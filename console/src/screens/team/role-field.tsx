import { Radio } from "@mantine/core";
import { type Role, roles, roleWords } from "../../parts/role-words.ts";
import styles from "./team.module.css";

/** The three roles with what each may do. */
export function RoleField({ role, setRole }: { role: Role; setRole: (role: Role) => void }) {
  return (
    <Radio.Group label="Role" value={role} onChange={setRole}>
      <div className={styles.roles}>
        {roles.map((each) => (
          <Radio key={each} value={each} label={each} description={roleWords[each]} />
        ))}
      </div>
    </Radio.Group>
  );
}
