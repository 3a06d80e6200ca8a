import { type EVM, getActivePrecompiles, type PrecompileFunc } from '@ethereumjs/evm';
import type { Pause } from '../pause.ts';
import { blake2f, blake2fGas, blake2fSteps } from './blake2f.ts';
import { PAIR_BYTES } from './bn254.ts';
import { loadKzg } from './kzg.ts';
import { type ModexpPricing, modexp, modexpGas, modexpLengths } from './modexp.ts';
import type { PairingCurve } from './pairing-curve.ts';
import { drained, type Steps } from './steps.ts';

/*
 * Precompiled contracts work long, by themselves or because they are called again and again. Others have their turn
 * before each such call, and between the steps of three of them, which work for as long as their caller pays. What they
 * answer, and what they refuse, is the library's.
 */

/** Lets others have their turn during what precompiled contracts of this machine do, wherever they are. */
export function replacePrecompiles(evm: EVM, bn254: PairingCurve, pause: Pause): void {
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

async function inTurns(steps: Steps, pause: Pause): Promise<Uint8Array | undefined> {
  for (;;) {
    await pause();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** What the library can work with, in bytes. */
const LONGEST = 2 ** 31 - 1;

/** @param run The library's, which decides what fails and how. */
function modexpInPieces(run: PrecompileFunc, pause: Pause): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit, common } = input;
    const since = common.isActivatedEIP(2565) ? 'EIP-2565' : 'EIP-198';
    const pricing: ModexpPricing = common.isActivatedEIP(7883) ? 'EIP-7883' : since;
    const gas = modexpGas(data, pricing);
    const isTooLong = Object.values(modexpLengths(data)).some((length) => length > LONGEST);
    if (isTooLong || gas > gasLimit) return await run(input);
    const returnValue = await inTurns(modexp(data, pricing), pause);
    return returnValue === undefined ? await run(input) : { executionGasUsed: BigInt(gas), returnValue };
  };
}

function pairingInPieces(run: PrecompileFunc, bn254: PairingCurve, pause: Pause): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit, common } = input;
    const pairs = data.length / PAIR_BYTES;
    const gas = common.param('bn254PairingGas') + BigInt(Math.floor(pairs)) * common.param('bn254PairingWordGas');
    if (!Number.isInteger(pairs) || gas > gasLimit) return await run(input);
    const returnValue = await inTurns(bn254.pairing(data), pause);
    if (returnValue !== undefined) return { executionGasUsed: gas, returnValue };
    for (let at = 0; at < data.length; at += PAIR_BYTES) {
      await pause();
      const pair = data.subarray(at, at + PAIR_BYTES);
      // The first that is wrong is what the library stops at.
      if (drained(bn254.pairing(pair)) === undefined) return await run({ ...input, data: pair });
    }
    throw new Error('a pairing failed whose pairs are points');
  };
}

function blakeInPieces(run: PrecompileFunc, pause: Pause): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit } = input;
    const gas = blake2fGas(data);
    if (gas > gasLimit) return await run(input);
    const steps = blake2fSteps(data);
    const returnValue = steps === undefined ? blake2f(data) : await inTurns(steps, pause);
    return returnValue === undefined ? await run(input) : { executionGasUsed: BigInt(gas), returnValue };
  };
}
