#!/usr/bin/env node
import { explainError } from "./explain-error.ts";
import { createProgram } from "./program.ts";

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = explainError(error);
}
