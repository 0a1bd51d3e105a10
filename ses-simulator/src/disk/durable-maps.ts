import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { GroupCommit } from "./group-commit.ts";
import { LineFile } from "./line-file.ts";

type Change = [map: string, key: string, value?: unknown];

/** The file is compacted when it is this many times larger than after the last compaction. */
const compactionFactor = 4;
const minCompactionBytes = 16 * 1024 * 1024;
const changesPerLine = 500;

/**
 * Named maps that survive `kill -9`. One line of the journal holds all changes of one commit, which makes the commit
 * atomic. At start, a replay of all lines in order rebuilds the maps.
 */
export class DurableMaps {
  readonly #path: string;
  readonly #maps = new Map<string, Map<string, unknown>>();
  readonly #changed = new Map<string, Set<string>>();
  readonly #commit: GroupCommit;
  #file: LineFile<Change[]>;
  #compactedBytes: number;

  constructor(folder: string, commit: GroupCommit) {
    this.#path = join(folder, "state.ndjson");
    this.#file = new LineFile(this.#path);
    this.#replay();
    this.#compactedBytes = minCompactionBytes / compactionFactor;
    this.#commit = commit;
    commit.addWriter(() => this.#write());
  }

  map<Value>(name: string): DurableMap<Value> {
    const values = this.#valuesOf(name);
    this.#changed.set(name, new Set());
    // Only this typed map has written the values in the file.
    return new DurableMap(values as Map<string, Value>, (key) => this.#markChanged(name, key));
  }

  close(): void {
    this.#file.close();
  }

  #valuesOf(name: string): Map<string, unknown> {
    const values = this.#maps.get(name) ?? new Map<string, unknown>();
    this.#maps.set(name, values);
    return values;
  }

  #markChanged(name: string, key: string): void {
    this.#changed.get(name)?.add(key);
    this.#commit.requestWrite();
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
    if (this.#file.length > this.#compactedBytes * compactionFactor) this.#compact();
    else this.#file.append(`${JSON.stringify(changes)}\n`);
  }

  /** Memory already holds the changes of this commit, so the new file holds them too. The rename is atomic. */
  #compact(): void {
    // A kill may have left the incomplete file of an earlier compaction.
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
    this.#compactedBytes = Math.max(next.length, minCompactionBytes / compactionFactor);
  }
}

/** Callers must not change a value in place: only `set` and `delete` reach the disk. */
export class DurableMap<Value> {
  readonly #values: Map<string, Value>;
  readonly #markChanged: (key: string) => void;

  constructor(values: Map<string, Value>, markChanged: (key: string) => void) {
    this.#values = values;
    this.#markChanged = markChanged;
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
    this.#markChanged(key);
  }

  delete(key: string): boolean {
    const existed = this.#values.delete(key);
    if (existed) this.#markChanged(key);
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
