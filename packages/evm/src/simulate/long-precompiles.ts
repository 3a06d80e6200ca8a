import { type EVM, getActivePrecompiles, type PrecompileFunc } from '@ethereumjs/evm';
import { bn254 } from '@noble/curves/bn254.js';
import { blake2Result, blake2Rounds, blake2State } from './blake2f.ts';

/*
 * Two precompiled contracts work for as long as their caller pays in one go: a call could hold the process for half a
 * minute. Here they work in pieces; what they answer, and what they refuse, is the library's.
 */

/** Between two pieces. @throws {TimedOut} */
type Pause = () => Promise<void> | undefined;

const PAIRING = `${'0'.repeat(38)}08`;
const BLAKE2F = `${'0'.repeat(38)}09`;
const PAIR_BYTES = 192;
const BLAKE2F_BYTES = 213;
const ROUNDS_AT_ONCE = 4_096;

/** Lets others have their turn during what precompiled contracts of this machine do, wherever they are. */
export function pauseInPrecompiles(evm: EVM, pause: Pause): void {
  const originals = getActivePrecompiles(evm.common);
  for (const [address, run] of evm.precompiles) {
    if (run === originals.get(PAIRING)) evm.precompiles.set(address, pairingInPieces(run, pause));
    if (run === originals.get(BLAKE2F)) evm.precompiles.set(address, blakeInPieces(run, pause));
  }
}

function pairingInPieces(run: PrecompileFunc, pause: Pause): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit, common } = input;
    const pairs = data.length / PAIR_BYTES;
    const gas = common.param('bn254PairingGas') + BigInt(Math.floor(pairs)) * common.param('bn254PairingWordGas');
    if (pairs < 2 || !Number.isInteger(pairs) || gas > gasLimit) return await run(input);
    let product = Fp12.ONE;
    for (let at = 0; at < data.length; at += PAIR_BYTES) {
      await pause();
      const one = data.subarray(at, at + PAIR_BYTES);
      const pair = pairOf(one);
      // The first that is wrong is what the library stops at.
      if (pair === undefined) return await run({ ...input, data: one });
      if (!pair.g1.is0() && !pair.g2.is0()) product = Fp12.mul(product, bn254.pairing(pair.g1, pair.g2, false));
    }
    const returnValue = new Uint8Array(32);
    if (Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE)) returnValue[31] = 1;
    return { executionGasUsed: gas, returnValue };
  };
}

const { Fp, Fp2, Fp12 } = bn254.fields;

/** A point of G1 and one of G2 (EIP-197), or nothing where one is not. */
function pairOf(data: Uint8Array) {
  const words = Array.from({ length: 6 }, (_, index) => {
    return BigInt(`0x${Buffer.from(data.subarray(index * 32, index * 32 + 32)).toString('hex')}`);
  });
  if (words.some((word) => word >= Fp.ORDER)) return undefined;
  const [x = 0n, y = 0n, xi = 0n, xr = 0n, yi = 0n, yr = 0n] = words;
  try {
    const g1 = bn254.G1.Point.fromAffine({ x, y });
    const g2 = bn254.G2.Point.fromAffine({ x: Fp2.create({ c0: xr, c1: xi }), y: Fp2.create({ c0: yr, c1: yi }) });
    for (const point of [g1, g2]) if (!point.is0()) point.assertValidity();
    return { g1, g2 };
  } catch {
    return undefined;
  }
}

function blakeInPieces(run: PrecompileFunc, pause: Pause): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit, common } = input;
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    const last = data[BLAKE2F_BYTES - 1] ?? 2;
    if (data.length !== BLAKE2F_BYTES || last > 1) return await run(input);
    const rounds = view.getUint32(0);
    const gas = BigInt(rounds) * common.param('blake2RoundGas');
    if (rounds <= ROUNDS_AT_ONCE || gas > gasLimit) return await run(input);
    const state = blake2State(view, last === 1);
    for (let from = 0; from < rounds; from += ROUNDS_AT_ONCE) {
      await pause();
      blake2Rounds(state, from, Math.min(from + ROUNDS_AT_ONCE, rounds));
    }
    return { executionGasUsed: gas, returnValue: blake2Result(view, state) };
  };
}
