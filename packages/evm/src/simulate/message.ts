import { createAddressFromString, Address as EvmAddress } from '@ethereumjs/util';
import { hexOf } from '../hex.ts';
import type { AccountState } from '../state/state.ts';
import { failureText, isOutOfGas, isRevert } from '../trace/failures.ts';
import type { Address, Log } from '../types.ts';
import { authorize, warmDelegate } from './authorizations.ts';
import { type Checks, checkMessage } from './checks.ts';
import type { Environment } from './environment.ts';
import type { EvmMessage, Failure, Outcome } from './evm-message.ts';
import { EMPTY_ACCOUNT, hasCode, type Machine } from './machine.ts';

/** EIP-4844. */
const GAS_OF_BLOB = 131_072n;

/**
 * Runs a message on the machine's state, as a block of the environment would, and leaves its changes there.
 *
 * @throws {Inapplicable} before anything is changed, where the message cannot be in such a block.
 */
export async function applyMessage(
  machine: Machine,
  message: EvmMessage,
  environment: Environment,
  checks: Checks,
): Promise<Outcome> {
  const { state, rules } = machine;
  const { from, gasLimit, gasPrice } = message;
  const { intrinsic, floor } = checkMessage(machine, message, environment, checks);
  const blobCost = BigInt(message.blobs?.hashes.length ?? 0) * GAS_OF_BLOB * (environment.blobBaseFee ?? 0n);

  machine.begin(message, environment);
  const sender = state.account(from) ?? EMPTY_ACCOUNT;
  state.putAccount(from, {
    ...sender,
    nonce: (sender.nonce + 1n) & MAX_NONCE,
    balance: sender.balance - gasLimit * gasPrice - blobCost,
  });
  const authorizationRefund = authorize(machine, message.authorizations);
  warmDelegate(machine, message.to);

  const ran = await run(machine, message, environment, gasLimit - intrinsic);
  const gasPeak = intrinsic + ran.gas;
  const refund = authorizationRefund + ran.refund;
  const mostRefunded = gasPeak / (rules.isActivatedEIP(3529) ? 5n : 2n);
  const afterRefund = gasPeak - (refund < mostRefunded ? refund : mostRefunded);
  const gasUsed = afterRefund < floor ? floor : afterRefund;

  credit(machine, from, (gasLimit - gasUsed) * gasPrice);
  const tip = gasPrice - (environment.baseFeePerGas ?? 0n);
  // Below the base fee only where checks allowed it; no fee is paid then.
  if (tip > 0n) credit(machine, environment.coinbase, tip * gasUsed);
  await machine.end(ran.destroyed);
  const { output, logs, failure, created } = ran;
  return { gasUsed, gasPeak: gasPeak < floor ? floor : gasPeak, output, logs, failure, created };
}

const MAX_NONCE = (1n << 64n) - 1n;

interface Ran {
  readonly gas: bigint;
  readonly refund: bigint;
  readonly output: Uint8Array;
  readonly logs: readonly Log[];
  readonly failure: Failure | undefined;
  readonly created: Address | undefined;
  readonly destroyed: ReadonlySet<Address>;
}

async function run(machine: Machine, message: EvmMessage, environment: Environment, gas: bigint): Promise<Ran> {
  const { from, to, value, data, gasPrice } = message;
  if (to !== undefined && !machine.isPrecompile(to) && !hasCode(machine.state, to)) {
    return transfer(machine, message, gas);
  }
  const { createdAddress, execResult } = await machine.evm.runCall({
    block: machine.block(environment),
    caller: createAddressFromString(from),
    ...(to === undefined ? {} : { to: createAddressFromString(to) }),
    value,
    data,
    gasLimit: gas,
    gasPrice,
    ...(message.blobs === undefined ? {} : { blobVersionedHashes: [...message.blobs.hashes] }),
    skipNonceIncrement: true,
  });
  const text = failureText(execResult, to === undefined);
  return {
    gas: execResult.executionGasUsed,
    refund: execResult.gasRefund ?? 0n,
    output: execResult.returnValue,
    logs: (execResult.logs ?? []).map(logOf),
    failure:
      text === undefined
        ? undefined
        : { kind: isRevert(execResult) ? 'revert' : isOutOfGas(execResult) ? 'out of gas' : 'other', text },
    created: to === undefined && createdAddress instanceof EvmAddress ? hexOf(createdAddress.bytes) : undefined,
    destroyed: destroyed(machine, execResult),
  };
}

/** To an account without code: nothing to interpret. */
function transfer(machine: Machine, message: EvmMessage, gas: bigint): Ran {
  const { from, value } = message;
  // Only called with a recipient.
  const to = message.to ?? from;
  machine.enterTop(message, to, gas);
  if (value > 0n) {
    const sender = machine.state.account(from) ?? EMPTY_ACCOUNT;
    machine.state.putAccount(from, { ...sender, balance: sender.balance - value });
    credit(machine, to, value);
  }
  const output = new Uint8Array();
  machine.exitTop({ output, gasUsed: 0n, error: undefined });
  return { gas: 0n, refund: 0n, output, logs: [], failure: undefined, created: undefined, destroyed: new Set() };
}

/** Adding nothing creates no account (EIP-161). */
function credit(machine: Machine, address: Address, amount: bigint): void {
  if (amount === 0n) return;
  const account: AccountState = machine.state.account(address) ?? EMPTY_ACCOUNT;
  machine.state.putAccount(address, { ...account, balance: account.balance + amount });
}

/** Contracts that are gone when the transaction ends; since EIP-6780 only those that it created. */
function destroyed(
  { rules }: Machine,
  result: { readonly selfdestruct?: Map<Address, Address>; readonly createdAddresses?: Set<Address> },
): ReadonlySet<Address> {
  const addresses = new Set(result.selfdestruct?.keys());
  if (rules.isActivatedEIP(6780)) {
    for (const address of addresses) if (result.createdAddresses?.has(address) !== true) addresses.delete(address);
  }
  return addresses;
}

function logOf([address, topics, data]: [Uint8Array, Uint8Array[], Uint8Array]): Log {
  return { address: hexOf(address), topics: topics.map(hexOf), data: hexOf(data) };
}
