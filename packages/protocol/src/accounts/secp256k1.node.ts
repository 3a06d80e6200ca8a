import { createRequire } from 'node:module';
import { secp256k1 as portable, type Secp256k1 } from './secp256k1.portable.ts';

/**
 * The native library if it has a binary for this system. Its own fallback is an implementation in JavaScript, that is slower
 * still and not maintained: so the binding is loaded directly.
 */
export function loadNative(): Secp256k1 | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as Secp256k1;
  } catch {
    return undefined;
  }
}

export const secp256k1: Secp256k1 = loadNative() ?? portable;

/** Pages load the curve when a chain needs it. */
export const bringSecp256k1 = async (): Promise<void> => undefined;
export const getSecp256k1 = (): Secp256k1 => secp256k1;
