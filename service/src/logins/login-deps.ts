import type { FairSlots } from "../fair-slots.ts";
import type { TokenAuthority } from "./access-token.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import type { RefreshTokenMaker } from "./refresh-token.ts";
import type { OpenTotpKey } from "./totp-key.ts";

/** Created once per process. */
export interface LoginDeps {
  authority: TokenAuthority;
  refreshTokens: RefreshTokenMaker;
  throttle: LoginThrottle;
  slots: FairSlots;
  openTotpKey: OpenTotpKey;
  /** For the metric; the name of an unknown user is stored nowhere. */
  countFailure?: (user: "known" | "unknown") => void;
}
