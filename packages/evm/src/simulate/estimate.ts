import { type Fork, includes } from '@switchyard/evm-machine/fork';
import { MAX_GAS } from '@switchyard/evm-machine/limits';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Outcome } from '@switchyard/evm-machine/values';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import { executionReverted, serverError } from '../json/errors.ts';
import { hasCode } from '../transactions/accounts.ts';
import { Inapplicable } from './checks.ts';
import type { EvmMessage } from './evm-message.ts';

/** Gas of a plain transfer; from Amsterdam on, at most. */
const TRANSFER = 21_000n;
const CALL_STIPEND = 2_300n;
/** The answer may be too high by this much: callers add more than that, and each step costs an execution. */
const TOLERANCE = 0.015;

export interface GasSearch {
  readonly state: StateReader;
  readonly fork: Fork;
  readonly blockGasLimit: bigint;
  readonly gasCap: bigint;
  /** @throws {Inapplicable} */
  run(gasLimit: bigint): Outcome;
}

/**
 * The least gas with which a message succeeds, or little more: found by bisection, as the path of code may depend on the
 * gas that it has. Steps and bounds are those of go-ethereum, so that answers are the same.
 *
 * @throws {JsonRpcError} if it fails with all the gas it may have.
 */
export function searchGas(message: EvmMessage, search: GasSearch): bigint {
  let high = highest(message, search);
  const { to, data } = message;
  const succeeds = (gas: bigint): Outcome | undefined => {
    try {
      const outcome = search.run(gas);
      return outcome.failure === undefined ? outcome : undefined;
    } catch (error) {
      // The first try is a guess: its errors are those of the run with all the gas.
      if (error instanceof Inapplicable && (error.kind === 'intrinsic gas' || gas === TRANSFER)) return undefined;
      throw error;
    }
  };
  if (data.length === 0 && to !== undefined && !hasCode(search.state, to)) {
    const transfer = succeeds(TRANSFER);
    if (transfer !== undefined) return transfer.gasUsed;
  }
  const { gasUsed, gasPeak } = first(high, search);
  let low = gasUsed - 1n;
  const likely = ((gasPeak + CALL_STIPEND) * 64n) / 63n;
  if (likely < high) {
    if (succeeds(likely) === undefined) low = likely;
    else high = likely;
  }
  while (low + 1n < high && Number(high - low) / Number(high) >= TOLERANCE) {
    const middle = low + (high - low) / 2n;
    // Most need little more than they use.
    const next = middle > low * 2n ? low * 2n : middle;
    if (succeeds(next) === undefined) low = next;
    else high = next;
  }
  return high;
}

/** Highest gas limit that the block, the caller, the caller's funds and the server allow. */
function highest({ gasLimit, maxFeePerGas, from, value }: EvmMessage, search: GasSearch): bigint {
  let high = gasLimit >= TRANSFER ? gasLimit : search.blockGasLimit;
  // EIP-7825, in Osaka; later, state may cost more than that (EIP-8037).
  const isBounded = includes(search.fork, 'osaka') && !includes(search.fork, 'amsterdam');
  if (isBounded && high > MAX_GAS) high = BigInt(MAX_GAS);
  if (maxFeePerGas > 0n) {
    const balance = search.state.account(from)?.balance ?? 0n;
    if (value >= balance) throw serverError('insufficient funds for transfer');
    const affordable = (balance - value) / maxFeePerGas;
    if (high > affordable) high = affordable;
  }
  return high > search.gasCap ? search.gasCap : high;
}

/** With all the gas: a failure here is a failure with any gas. */
function first(high: bigint, search: GasSearch): Outcome {
  const tooLittle = serverError(`gas required exceeds allowance (${high})`);
  let outcome: Outcome;
  try {
    outcome = search.run(high);
  } catch (error) {
    if (!(error instanceof Inapplicable)) throw error;
    if (error.kind === 'intrinsic gas') throw tooLittle;
    throw serverError(`failed with ${high} gas: ${error.message}`);
  }
  switch (outcome.failure?.kind) {
    case undefined:
      return outcome;
    case 'revert':
      throw executionReverted(bytesToHex(outcome.output));
    case 'out of gas':
      throw tooLittle;
    case 'other':
      throw serverError(outcome.failure.text);
  }
}
