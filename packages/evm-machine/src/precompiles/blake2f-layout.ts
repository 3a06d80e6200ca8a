/* Memory of the module with the compression of BLAKE2b, which scripts/wasm/blake2b.ts writes. */

export const WORD = 8;
/** The 16 words of the state. */
export const STATE = 0;
export const MESSAGE = 200;
