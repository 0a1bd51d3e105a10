import { z } from "zod";

export const takenAnswer = z.object({ success: z.literal(true) }).describe("It is stored");
