import type { PosternError } from "./postern-error.ts";

/** Either the data or the error. After `if (error)` the compiler knows that `data` is not null. */
export type Result<Data> = { data: Data; error: null } | { data: null; error: PosternError };

/** A promise of a result. It rejects only on programming errors, never because of the network or the service. */
export type Call<Data> = Promise<Result<Data>> & {
  /** Resolves to the data, or throws the `PosternError`. */
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
