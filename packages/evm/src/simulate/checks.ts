import { isDelegation } from '@switchyard/evm-machine/delegation';
import { includes } from '@switchyard/evm-machine/fork';
import type { MachineOptions } from '@switchyard/evm-machine/interface';
import { computeIntrinsicGas } from '@switchyard/evm-machine/intrinsic';
import { MAX_GAS, MAX_NONCE } from '@switchyard/evm-machine/limits';
import { rulesWith } from '@switchyard/evm-machine/rules';
import type { Address } from '@switchyard/evm-machine/types';
import type { BlockValues } from '@switchyard/evm-machine/values';
import { checksummed } from '@switchyard/protocol/ethereum';
import { NEW_ACCOUNT } from '../transactions/accounts.ts';
import { GAS_OF_BLOB } from './environment.ts';
import type { EvmMessage } from './evm-message.ts';

/** Optional checks of a message, in addition to the mandatory ones. A call has none, a transaction all. */
export interface Checks {
  readonly nonce: boolean;
  /** EIP-3607: that the sender is no contract. */
  readonly sender: boolean;
  /** That fees cover the base fee even if none are given. */
  readonly fees: boolean;
}

export const OF_A_CALL: Checks = { nonce: false, sender: false, fees: false };
export const OF_A_TRANSACTION: Checks = { nonce: true, sender: true, fees: true };

export type InapplicableKind =
  | 'nonce too low'
  | 'nonce too high'
  | 'nonce max'
  | 'sender'
  | 'fee cap'
  | 'tip above cap'
  | 'blobs'
  | 'funds'
  | 'intrinsic gas'
  | 'initcode'
  | 'gas limit'
  | 'authorizations';

/** A message that no block can hold. The text is geth's, on which libraries match. */
export class Inapplicable extends Error {
  override readonly name = 'Inapplicable';

  constructor(
    readonly kind: InapplicableKind,
    message: string,
  ) {
    super(message);
  }
}

/** EIP-8037, from Amsterdam on. */
const MAX_GAS_WITH_STATE = (1n << 32n) - 1n;

/** @throws {Inapplicable} in the order in which geth looks. */
export function checkMessage(
  { state, fork, block, maxCodeBytes }: Pick<MachineOptions, 'state' | 'fork' | 'block' | 'maxCodeBytes'>,
  message: EvmMessage,
  checks: Checks,
): void {
  const { from, gasLimit, data } = message;
  const sender = state.account(from) ?? NEW_ACCOUNT;
  if (checks.nonce) checkNonce(from, message.nonce, sender.nonce);
  if (checks.sender) {
    const cap = includes(fork, 'amsterdam') ? MAX_GAS_WITH_STATE : BigInt(MAX_GAS);
    if (includes(fork, 'osaka') && gasLimit > cap)
      throw new Inapplicable('gas limit', `transaction gas limit too high (cap: ${cap}, tx: ${gasLimit})`);
    const code = state.code(sender.codeHash);
    if (code.length > 0 && !isDelegation(code))
      throw new Inapplicable('sender', `sender not an eoa: address ${checksummed(from)}, len(code): ${code.length}`);
  }
  checkFees(message, block, checks);
  checkBlobs(message, block, checks);
  if (message.authorizations.length > 0 && message.to === undefined)
    throw new Inapplicable(
      'authorizations',
      `EIP-7702 transaction cannot be used to create contract (sender ${checksummed(from)})`,
    );
  checkFunds(message, sender.balance);
  const rules = rulesWith(fork, maxCodeBytes);
  const { intrinsic, floor } = computeIntrinsicGas(message, rules);
  if (gasLimit < intrinsic)
    throw new Inapplicable('intrinsic gas', `intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`);
  if (gasLimit < floor)
    throw new Inapplicable(
      'intrinsic gas',
      `insufficient gas for floor data gas cost: have ${gasLimit}, want ${floor}`,
    );
  if (rules.hasStateGas && message.isUnbounded !== true && Math.max(intrinsic, floor) > MAX_GAS)
    throw new Inapplicable(
      'intrinsic gas',
      `insufficient gas for floor data gas cost: intrinsic cost ${intrinsic}, floor: ${floor}`,
    );
  if (message.to === undefined && data.length > rules.maxInitCodeBytes)
    throw new Inapplicable(
      'initcode',
      `max initcode size exceeded: code size ${data.length} limit ${rules.maxInitCodeBytes}`,
    );
}

function checkNonce(from: Address, nonce: bigint, state: bigint): void {
  if (nonce < state)
    throw new Inapplicable(
      'nonce too low',
      `nonce too low: address ${checksummed(from)}, tx: ${nonce} state: ${state}`,
    );
  if (nonce > state)
    throw new Inapplicable(
      'nonce too high',
      `nonce too high: address ${checksummed(from)}, tx: ${nonce} state: ${state}`,
    );
  if (nonce === MAX_NONCE)
    throw new Inapplicable('nonce max', `nonce has max value: address ${checksummed(from)}, nonce: ${nonce}`);
}

function checkFees(message: EvmMessage, { baseFeePerGas }: BlockValues, checks: Checks): void {
  const { from, maxFeePerGas, maxPriorityFeePerGas } = message;
  if (baseFeePerGas === undefined) return;
  if (!checks.fees && maxFeePerGas === 0n && maxPriorityFeePerGas === 0n) return;
  if (maxFeePerGas < maxPriorityFeePerGas)
    throw new Inapplicable(
      'tip above cap',
      `max priority fee per gas higher than max fee per gas: address ${checksummed(from)}, ` +
        `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`,
    );
  if (maxFeePerGas < baseFeePerGas)
    throw new Inapplicable(
      'fee cap',
      `max fee per gas less than block base fee: address ${checksummed(from)}, ` +
        `maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFeePerGas}`,
    );
}

function checkBlobs(
  { from, to, blobHashes, maxFeePerBlobGas }: EvmMessage,
  { blobBaseFee }: BlockValues,
  checks: Checks,
): void {
  if (blobHashes === undefined) return;
  if (to === undefined) throw new Inapplicable('blobs', 'blob transaction of type create');
  if (blobHashes.length === 0) throw new Inapplicable('blobs', 'blob transaction missing blob hashes');
  const odd = blobHashes.findIndex((hash) => !hash.startsWith('0x01'));
  if (odd >= 0) throw new Inapplicable('blobs', `blob ${odd} has invalid hash version`);
  if (blobBaseFee === undefined || (!checks.fees && maxFeePerBlobGas === 0n)) return;
  if (maxFeePerBlobGas < blobBaseFee)
    throw new Inapplicable(
      'blobs',
      `max fee per blob gas less than block blob gas fee: address ${checksummed(from)} ` +
        `blobGasFeeCap: ${maxFeePerBlobGas}, blobBaseFee: ${blobBaseFee}`,
    );
}

function checkFunds(message: EvmMessage, balance: bigint): void {
  const { from, gasLimit, maxFeePerGas, value, blobHashes = [], maxFeePerBlobGas } = message;
  const forBlobs = BigInt(blobHashes.length) * GAS_OF_BLOB * maxFeePerBlobGas;
  const wanted = gasLimit * maxFeePerGas + value + forBlobs;
  if (balance < wanted)
    throw new Inapplicable(
      'funds',
      `insufficient funds for gas * price + value: address ${checksummed(from)} have ${balance} want ${wanted}`,
    );
}
