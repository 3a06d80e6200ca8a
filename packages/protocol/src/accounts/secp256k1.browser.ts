import type { Secp256k1 } from './secp256k1.portable.ts';

let curve: Secp256k1 | undefined;

/** Loads the curve, which a page needs for chains that allow its signatures alone. */
export async function bringSecp256k1(): Promise<void> {
  curve ??= (await import('./secp256k1.portable.ts')).secp256k1;
}

/** @throws {Error} before {@link bringSecp256k1} has resolved: no signature is valid or invalid then. */
export function getSecp256k1(): Secp256k1 {
  if (curve === undefined) throw new Error('the curve secp256k1 has not been loaded');
  return curve;
}
