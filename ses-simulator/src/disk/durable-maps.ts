import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { GroupCommit } from "./group-commit.ts";
import { LineFile } from "./line-file.ts";

type Change = [map: string, key: string, value?: unknown];

/** The file is written anew when it holds several times what is alive. */
const rewriteFactor = 4;
const rewriteFromBytes = 16 * 1024 * 1024;
const changesPerLine = 500;

/**
 * Named maps that survive `kill -9`. A line of the journal holds everything that changed in one turn, so a turn is
 * there as a whole or not at all; replaying the lines in order rebuilds the maps.
 */
export class DurableMaps {
  readonly #path: string;
  readonly #maps = new Map<string, Map<string, unknown>>();
  readonly #changed = new Map<string, Set<string>>();
  readonly #commit: GroupCommit;
  #file: LineFile<Change[]>;
  #bytesAfterRewrite: number;

  constructor(folder: string, commit: GroupCommit) {
    this.#path = join(folder, "state.ndjson");
    this.#file = new LineFile(this.#path);
    this.#replay();
    this.#bytesAfterRewrite = rewriteFromBytes / rewriteFactor;
    this.#commit = commit;
    commit.join(() => this.#write());
  }

  map<Value>(name: string): DurableMap<Value> {
    const values = this.#valuesOf(name);
    this.#changed.set(name, new Set());
    // What stands in the file was written through this same typed map.
    return new DurableMap(values as Map<string, Value>, (key) => this.#note(name, key));
  }

  close(): void {
    this.#file.close();
  }

  #valuesOf(name: string): Map<string, unknown> {
    const values = this.#maps.get(name) ?? new Map<string, unknown>();
    this.#maps.set(name, values);
    return values;
  }

  #note(name: string, key: string): void {
    this.#changed.get(name)?.add(key);
    this.#commit.changed();
  }

  #replay(): void {
    for (const { value: changes } of this.#file.values()) {
      for (const [name, key, value] of changes) {
        if (value === undefined) this.#valuesOf(name).delete(key);
        else this.#valuesOf(name).set(key, value);
      }
    }
  }

  #write(): void {
    const changes: Change[] = [];
    for (const [name, keys] of this.#changed) {
      for (const key of keys) changes.push(changeOf(name, key, this.#valuesOf(name).get(key)));
      keys.clear();
    }
    if (changes.length === 0) return;
    if (this.#file.length > this.#bytesAfterRewrite * rewriteFactor) this.#rewrite();
    else this.#file.append(`${JSON.stringify(changes)}\n`);
  }

  /** Memory already holds this turn's changes, so the new file does too. The rename makes it all or nothing. */
  #rewrite(): void {
    // A kill may have left half of an earlier one.
    rmSync(`${this.#path}.next`, { force: true });
    const next = new LineFile<Change[]>(`${this.#path}.next`);
    for (const [name, values] of this.#maps) {
      const all = [...values].map(([key, value]): Change => [name, key, value]);
      for (let start = 0; start < all.length; start += changesPerLine) {
        next.append(`${JSON.stringify(all.slice(start, start + changesPerLine))}\n`);
      }
    }
    renameSync(next.path, this.#path);
    this.#file.close();
    this.#file = next;
    this.#bytesAfterRewrite = Math.max(next.length, rewriteFromBytes / rewriteFactor);
  }
}

/** Values are never changed in place: a change is only written when `set` hears of it. */
export class DurableMap<Value> {
  readonly #values: Map<string, Value>;
  readonly #note: (key: string) => void;

  constructor(values: Map<string, Value>, note: (key: string) => void) {
    this.#values = values;
    this.#note = note;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value);
    this.#note(key);
  }

  delete(key: string): boolean {
    const existed = this.#values.delete(key);
    if (existed) this.#note(key);
    return existed;
  }

  values(): MapIterator<Value> {
    return this.#values.values();
  }

  keys(): MapIterator<string> {
    return this.#values.keys();
  }
}

function changeOf(name: string, key: string, value: unknown): Change {
  return value === undefined ? [name, key] : [name, key, value];
}
