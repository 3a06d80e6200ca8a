import type { Fork } from '@switchyard/evm-machine/fork';
import { getPrecompiles, type Precompile } from '@switchyard/evm-machine/precompiles';
import type { StateWriter } from '@switchyard/evm-machine/state';
import type { Address } from '@switchyard/evm-machine/types';
import type { BlockValues } from '@switchyard/evm-machine/values';
import { checksummed, hexToBytes } from '@switchyard/protocol/ethereum';
import { serverError } from '../json/errors.ts';
import { NEW_ACCOUNT } from '../transactions/accounts.ts';
import type { BlockOverrides, StateOverrides } from './simulator.ts';

/** @throws {JsonRpcError} if an override contradicts itself. */
export function overrideState(state: StateWriter, overrides: StateOverrides | undefined): void {
  for (const [address, { balance, nonce, code, state: storage, stateDiff }] of overrides ?? []) {
    if (storage !== undefined && stateDiff !== undefined)
      throw serverError(`account ${checksummed(address)} has both 'state' and 'stateDiff'`);
    const account = state.account(address);
    if (balance !== undefined || nonce !== undefined || code !== undefined) {
      state.putAccount(address, {
        ...(account ?? NEW_ACCOUNT),
        ...(balance === undefined ? {} : { balance }),
        ...(nonce === undefined ? {} : { nonce }),
        ...(code === undefined ? {} : { codeHash: state.putCode(hexToBytes(code)) }),
      });
    }
    if (storage !== undefined) state.clearStorage(address);
    for (const [slot, value] of storage ?? stateDiff ?? []) state.putStorage(address, slot, BigInt(value));
  }
}

export function overrideEnvironment(environment: BlockValues, overrides: BlockOverrides | undefined): BlockValues {
  if (overrides === undefined) return environment;
  return {
    number: overrides.number ?? environment.number,
    timestamp: overrides.time ?? environment.timestamp,
    gasLimit: overrides.gasLimit ?? environment.gasLimit,
    coinbase: overrides.feeRecipient ?? environment.coinbase,
    difficulty: overrides.difficulty ?? environment.difficulty,
    prevRandao: overrides.prevRandao ?? environment.prevRandao,
    baseFeePerGas: overrides.baseFeePerGas ?? environment.baseFeePerGas,
    blobBaseFee: overrides.blobBaseFee ?? environment.blobBaseFee,
    slotNumber: environment.slotNumber,
  };
}

/**
 * Addresses of precompiled contracts, when overrides move some or put something in their place: any override of one does.
 *
 * @returns undefined if they change none.
 * @throws {JsonRpcError} if another contract is to be moved, or moved to an overridden address.
 */
export function overridePrecompiles(
  fork: Fork,
  overrides: StateOverrides | undefined,
): ReadonlyMap<Address, Precompile> | undefined {
  if (overrides === undefined || overrides.size === 0) return undefined;
  const active = getPrecompiles(fork);
  const precompiles = new Map(active);
  let isChanged = false;
  for (const [address, { movePrecompileToAddress: target }] of overrides) {
    const contract = active.get(address);
    if (contract !== undefined) {
      precompiles.delete(address);
      isChanged = true;
    }
    if (target === undefined) continue;
    if (contract === undefined) throw serverError(`account ${checksummed(address)} is not a precompile`);
    if (overrides.has(target)) throw serverError(`account ${checksummed(target)} is already overridden`);
    precompiles.set(target, contract);
  }
  return isChanged ? precompiles : undefined;
}
