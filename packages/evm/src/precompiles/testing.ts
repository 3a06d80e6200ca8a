import { type EVM, EVMMockBlockchain } from '@ethereumjs/evm';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { bn254 } from '@noble/curves/bn254.js';
import { bytesOf, wordOf } from '../hex.ts';
import type { Pause } from '../pause.ts';
import { cancun } from '../simulate/testing.ts';
import { evmWithFastContracts } from './evm.ts';

/** As the library's `createEVM` makes one, but for the contracts. */
export function machineWithOurs(common = cancun(), pause: Pause = () => undefined): Promise<EVM> {
  const parts = { common, stateManager: new SimpleStateManager(), blockchain: new EVMMockBlockchain() };
  return evmWithFastContracts(parts, pause);
}

const { G1, G2, fields } = bn254;

export const words = (...numbers: readonly bigint[]): Uint8Array =>
  Buffer.concat(numbers.map((number) => bytesOf(wordOf(number))));

/** A multiple of the generator of G1. */
export function g1(scalar: bigint): Uint8Array {
  const { x, y } = G1.Point.BASE.multiplyUnsafe(scalar).toAffine();
  return words(x, y);
}

/** Of G2, as EIP-197 has it. */
export function g2(scalar: bigint): Uint8Array {
  return encoded(G2.Point.BASE.multiplyUnsafe(scalar));
}

function encoded(point: InstanceType<typeof G2.Point>): Uint8Array {
  const { x, y } = point.toAffine();
  return words(x.c1, x.c0, y.c1, y.c0);
}

/**
 * On the curve of G2 and not in the group, by trying x after x.
 *
 * @param times It is multiplied by this.
 */
export function strayPoint(from = 1n, times = 1n): Uint8Array {
  const { Fp2 } = fields;
  const b = Fp2.div(Fp2.create({ c0: 3n, c1: 0n }), Fp2.create({ c0: 9n, c1: 1n }));
  for (let at = from; ; at += 1n) {
    const x = Fp2.create({ c0: at, c1: 1n });
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), b);
    try {
      const y = Fp2.sqrt(square);
      const point = multiplied(G2.Point.fromAffine({ x, y }), times);
      if (!point.isTorsionFree()) return encoded(point);
    } catch {
      // No square: no point has this x.
    }
  }
}

/** The library refuses scalars as large as the order. */
function multiplied(point: InstanceType<typeof G2.Point>, times: bigint): InstanceType<typeof G2.Point> {
  let result = G2.Point.ZERO;
  for (const bit of times.toString(2)) {
    result = result.double();
    if (bit === '1') result = result.add(point);
  }
  return result;
}
