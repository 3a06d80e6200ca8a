import { type EVM, getActivePrecompiles, type PrecompileFunc } from '@ethereumjs/evm';
import type { Pause } from '../pause.ts';
import { BLAKE2F_BYTES, blake2Result, blake2Rounds, blake2State, ROUNDS } from './blake2f.ts';
import { type Bn254, PAIR_BYTES, pairingResult } from './bn254.ts';
import { loadKzg } from './kzg.ts';
import { modexpInPieces } from './modexp.ts';

/*
 * Precompiled contracts work long, by themselves or because they are called again and again. Others have their turn
 * before each such call, and three of them, which work for as long as their caller pays, do it in pieces. What they
 * answer, and what they refuse, is the library's.
 */

/** About a quarter of a millisecond. */
const ROUNDS_AT_ONCE = ROUNDS * 1_000;

/** Lets others have their turn during what precompiled contracts of this machine do, wherever they are. */
export function replacePrecompiles(evm: EVM, bn254: Bn254, pause: Pause): void {
  const originals = getActivePrecompiles(evm.common);
  const replaced = new Map<PrecompileFunc, PrecompileFunc>();
  const replace = (digit: string, ours: (run: PrecompileFunc) => PrecompileFunc) => {
    const run = originals.get(digit.padStart(40, '0'));
    // Not every fork has it.
    if (run !== undefined) replaced.set(run, ours(run));
  };
  replace('5', (run) => modexpInPieces(run, pause));
  replace('8', (run) => pairingInPieces(run, bn254, pause));
  replace('9', (run) => blakeInPieces(run, pause));
  replace('a', afterLoading);
  for (const [at, run] of evm.precompiles) {
    // Where a contract was taken away the library has the place, and nothing in it.
    if (run !== undefined) evm.precompiles.set(at, afterPause(replaced.get(run) ?? run, pause));
  }
}

function afterPause(run: PrecompileFunc, pause: Pause): PrecompileFunc {
  return (input) => {
    const pausing = pause();
    return pausing === undefined ? run(input) : pausing.then(() => run(input));
  };
}

function afterLoading(run: PrecompileFunc): PrecompileFunc {
  return async (input) => {
    await loadKzg();
    return await run(input);
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
