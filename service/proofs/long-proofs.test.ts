import { longProofs, testSmallProofs } from "./small/small-proofs.ts";

testSmallProofs(longProofs);
