import { LAST_PLACE } from './residues.ts';

/*
 * Memory of the modules with products modulo odd numbers, which scripts/wasm/montgomery.ts writes: one for each length of the
 * number in words of 64 bits, R being 2 to the power of that length.
 */

export const LARGEST_WORDS = 6;
export const WORD_BYTES = 8;

/* There are places as long as the numbers, little end first, and then the steps. More of them are: */
/** A 1 that is no 1 * R: multiplying by it is the way back. */
export const PLAIN_ONE = LAST_PLACE + 1;
export const MODULUS = LAST_PLACE + 2;
/** The negative inverse of the modulus, modulo 2^64. */
export const INVERSE = LAST_PLACE + 3;
export const PLACES = LAST_PLACE + 4;
export const STEPS = PLACES * LARGEST_WORDS * WORD_BYTES;
