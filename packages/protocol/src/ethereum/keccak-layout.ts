/* Memory of the module with Keccak-256, which scripts/wasm/keccak.ts writes. */

/** Bytes that are absorbed at a time: 1088 bits. */
export const BLOCK = 136;
/** Memory layout: the 24 round constants, the hash, and the blocks to hash. */
export const CONSTANTS = 0;
export const HASH = 192;
export const INPUT = 256;
