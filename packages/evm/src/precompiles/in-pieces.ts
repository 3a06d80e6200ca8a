import { type EVM, getActivePrecompiles, type PrecompileFunc } from '@ethereumjs/evm';
import type { Pause } from '../pause.ts';
import { BLAKE2F_BYTES, blake2Result, blake2Rounds, blake2State, ROUNDS } from './blake2f.ts';
import { type Bn254, PAIR_BYTES, pairingResult } from './bn254.ts';

/*
 * Some precompiled contracts work long, by themselves or because they are called again and again. Others have their
 * turn before each such call, and two of them, which work for as long as their caller pays, do it in pieces. What they
 * answer, and what they refuse, is the library's.
 */

const address = (digit: string) => digit.padStart(40, '0');
const PAIRING = address('8');
const BLAKE2F = address('9');
/** Powers, sums and multiples of points, point evaluation: up to milliseconds for one call. */
const SLOW = ['5', '6', '7', 'a'].map(address);
/** About a quarter of a millisecond. */
const ROUNDS_AT_ONCE = ROUNDS * 1_000;

/** Lets others have their turn during what precompiled contracts of this machine do, wherever they are. */
export function pauseInPrecompiles(evm: EVM, bn254: Bn254, pause: Pause): void {
  const originals = getActivePrecompiles(evm.common);
  const slow = SLOW.map((at) => originals.get(at));
  for (const [at, run] of evm.precompiles) {
    if (run === originals.get(PAIRING)) evm.precompiles.set(at, pairingInPieces(run, bn254, pause));
    else if (run === originals.get(BLAKE2F)) evm.precompiles.set(at, blakeInPieces(run, pause));
    else if (slow.includes(run)) evm.precompiles.set(at, afterPause(run, pause));
  }
}

function afterPause(run: PrecompileFunc, pause: Pause): PrecompileFunc {
  return (input) => {
    const pausing = pause();
    return pausing === undefined ? run(input) : pausing.then(() => run(input));
  };
}

function pairingInPieces(run: PrecompileFunc, bn254: Bn254, pause: Pause): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit, common } = input;
    const pairs = data.length / PAIR_BYTES;
    const gas = common.param('bn254PairingGas') + BigInt(Math.floor(pairs)) * common.param('bn254PairingWordGas');
    if (!Number.isInteger(pairs) || gas > gasLimit) return await run(input);
    const product = bn254.product();
    for (let at = 0; at < data.length; at += PAIR_BYTES) {
      await pause();
      const pair = data.subarray(at, at + PAIR_BYTES);
      try {
        product.times(pair);
      } catch {
        // The first that is wrong is what the library stops at.
        return await run({ ...input, data: pair });
      }
    }
    return { executionGasUsed: gas, returnValue: pairingResult(product) };
  };
}

function blakeInPieces(run: PrecompileFunc, pause: Pause): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit, common } = input;
    const last = data[BLAKE2F_BYTES - 1] ?? 2;
    if (data.length !== BLAKE2F_BYTES || last > 1) return await run(input);
    const rounds = new DataView(data.buffer, data.byteOffset).getUint32(0);
    const gas = BigInt(rounds) * common.param('blake2RoundGas');
    if (gas > gasLimit) return await run(input);
    const state = blake2State(data, last === 1);
    for (let left = rounds; left > 0; left -= ROUNDS_AT_ONCE) {
      await pause();
      blake2Rounds(state, Math.min(left, ROUNDS_AT_ONCE));
    }
    return { executionGasUsed: gas, returnValue: blake2Result(data, state) };
  };
}
