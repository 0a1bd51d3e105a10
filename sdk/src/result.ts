import type { PosternError } from "./postern-error.ts";

/** Either the answer or what went wrong. After `if (error)` the compiler knows that `data` is there. */
export type Result<Data> = { data: Data; error: null } | { data: null; error: PosternError };

/** A result to wait for. It is rejected by mistakes in the program only, never by the network or the service. */
export type Call<Data> = Promise<Result<Data>> & {
  /** The answer itself; throws the `PosternError` instead of returning it. */
  orThrow(): Promise<Data>;
};

export function toCall<Data>(result: Promise<Result<Data>>): Call<Data> {
  return Object.assign(result, {
    orThrow: async () => {
      const { data, error } = await result;
      if (error !== null) throw error;
      return data;
    },
  });
}
