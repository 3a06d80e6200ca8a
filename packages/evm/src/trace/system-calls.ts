import { createAddressFromString } from '@ethereumjs/util';
import { bytesOf } from '../hex.ts';
import type { Environment } from '../simulate/environment.ts';
import { EMPTY_ACCOUNT, hasCode, type Machine } from '../simulate/machine.ts';
import { HISTORY_ADDRESS, REQUEST_CONTRACTS } from '../system-contracts.ts';
import type { Address, Header } from '../types.ts';

/* What blocks do beside their transactions, by calls of contracts at fixed addresses. Where there is none, nothing. */

const SYSTEM: Address = '0xfffffffffffffffffffffffffffffffffffffffe';
const SYSTEM_GAS = 30_000_000n;
const BEACON_ROOTS: Address = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02';

/** Before the first transaction: EIP-2935 and EIP-4788. */
export async function systemCalls(
  machine: Machine,
  { parentBeaconBlockRoot, parentHash }: Pick<Header, 'parentBeaconBlockRoot' | 'parentHash'>,
  environment: Environment,
): Promise<void> {
  const { rules } = machine;
  if (rules.isActivatedEIP(2935)) await call(machine, environment, HISTORY_ADDRESS, bytesOf(parentHash));
  if (rules.isActivatedEIP(4788) && parentBeaconBlockRoot !== undefined)
    await call(machine, environment, BEACON_ROOTS, bytesOf(parentBeaconBlockRoot));
}

/** Before the merge, whoever made a block was paid for it (Yellow Paper, 11.3; EIP-649, EIP-1234). */
export function payMiner({ rules, state }: Machine, { coinbase }: Environment): void {
  if (rules.isActivatedEIP(3675)) return;
  const coins = rules.gteHardfork('constantinople') ? 2n : rules.gteHardfork('byzantium') ? 3n : 5n;
  const account = state.account(coinbase) ?? EMPTY_ACCOUNT;
  state.putAccount(coinbase, { ...account, balance: account.balance + coins * 10n ** 18n });
}

/** After the last transaction: what EIP-7685 asks of the other layer, each request with its type before it. */
export async function endOfBlockCalls(machine: Machine, environment: Environment): Promise<readonly Uint8Array[]> {
  const requests: Uint8Array[] = [];
  if (!machine.rules.isActivatedEIP(7685)) return requests;
  for (const { type, address } of REQUEST_CONTRACTS) {
    const output = await call(machine, environment, address, new Uint8Array());
    if (output.length > 0) requests.push(Buffer.concat([Uint8Array.of(type), output]));
  }
  return requests;
}

async function call(machine: Machine, environment: Environment, to: Address, data: Uint8Array): Promise<Uint8Array> {
  if (!hasCode(machine.state, to)) return new Uint8Array();
  machine.evm.journal.cleanJournal();
  machine.evm.journal.addAlwaysWarmAddress(to);
  const { execResult } = await machine.evm.runCall({
    block: machine.block(environment),
    caller: createAddressFromString(SYSTEM),
    to: createAddressFromString(to),
    data,
    gasLimit: SYSTEM_GAS,
    skipNonceIncrement: true,
  });
  await machine.end(new Set());
  return execResult.returnValue;
}
