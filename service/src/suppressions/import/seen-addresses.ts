import { hash } from "node:crypto";

export interface SeenAddresses {
  /** False when the address was added before. */
  add(email: string): boolean;
}

const firstSlots = 4_096;
/** 64 MB. Four million addresses fit. */
const maxSlots = 2 ** 23;

/**
 * The addresses that a dry run has counted, as 64 bits of a hash: 16 bytes for each, where a set of texts needs a hundred. When it is full,
 * a later address that repeats an earlier one counts as new; the import itself still stores it once.
 */
export function createSeenAddresses(): SeenAddresses {
  let table = new Uint32Array(firstSlots * 2);
  let count = 0;
  return {
    add(email) {
      const digest = hash("sha256", email, "buffer");
      // A slot of two zeros is empty.
      const [one, other] = [digest.readUInt32LE(0), digest.readUInt32LE(4) | 1];
      const slot = slotOf(table, one, other >>> 0);
      if (table[slot + 1] !== 0) return false;
      const slots = table.length / 2;
      if (count * 2 >= slots && slots >= maxSlots) return true;
      table[slot] = one;
      table[slot + 1] = other >>> 0;
      count++;
      if (count * 2 >= slots && slots < maxSlots) table = grown(table);
      return true;
    },
  };
}

/** The place of these bits, or the first empty one after it. */
function slotOf(table: Uint32Array, one: number, other: number): number {
  const mask = table.length / 2 - 1;
  for (let slot = one & mask; ; slot = (slot + 1) & mask) {
    const at = slot * 2;
    if (table[at + 1] === 0 || (table[at] === one && table[at + 1] === other)) return at;
  }
}

function grown(table: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(table.length * 2);
  for (let at = 0; at < table.length; at += 2) {
    const [one = 0, other = 0] = [table[at], table[at + 1]];
    if (other === 0) continue;
    const slot = slotOf(larger, one, other);
    larger[slot] = one;
    larger[slot + 1] = other;
  }
  return larger;
}
