import { createSecretKey } from "node:crypto";
import type { Secret } from "../../service/src/secret.ts";

/** Fixed, because the bench and the programs that it starts need the same; they protect nothing. */
export const keyPepper = createSecretKey(Buffer.alloc(32, "a pepper of the plain service"));
export const contentKey: Secret = { id: "plain", key: createSecretKey(Buffer.alloc(32, "a content key of it")) };
