import { bytesOf } from '../hex.ts';
import { executeSystemCall } from '../interpreter/execute.ts';
import { includes } from '../interpreter/fork.ts';
import { runInTurns } from '../interpreter/turns.ts';
import { EMPTY_ACCOUNT, hasCode, type Machine } from '../simulate/machine.ts';
import { HISTORY_ADDRESS, REQUEST_CONTRACTS } from '../system-contracts.ts';
import type { Address, Header } from '../types.ts';

/* What blocks do beside their transactions, by calls of contracts at fixed addresses. Where there is none, nothing. */

const BEACON_ROOTS: Address = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02';

/** Before the first transaction: EIP-2935 and EIP-4788. */
export async function systemCalls(
  machine: Machine,
  { parentBeaconBlockRoot, parentHash }: Pick<Header, 'parentBeaconBlockRoot' | 'parentHash'>,
): Promise<void> {
  const { fork } = machine;
  if (includes(fork, 'prague')) await call(machine, HISTORY_ADDRESS, bytesOf(parentHash));
  if (includes(fork, 'cancun') && parentBeaconBlockRoot !== undefined)
    await call(machine, BEACON_ROOTS, bytesOf(parentBeaconBlockRoot));
}

/**
 * Before the merge, whoever made a block was paid for it, and for uncles in it (Yellow Paper, 11.3; EIP-649, EIP-1234).
 *
 * @param uncles Headers of other blocks that this one names.
 */
export function payMiner(
  { fork, state, block }: Machine,
  uncles: readonly Pick<Header, 'number' | 'coinbase'>[] = [],
): void {
  if (includes(fork, 'paris')) return;
  const coins = includes(fork, 'constantinople') ? 2n : includes(fork, 'byzantium') ? 3n : 5n;
  const reward = coins * 10n ** 18n;
  const pay = (address: Address, amount: bigint) => {
    const account = state.account(address) ?? EMPTY_ACCOUNT;
    state.putAccount(address, { ...account, balance: account.balance + amount });
  };
  for (const { number, coinbase } of uncles) pay(coinbase, (reward * (number + 8n - block.number)) / 8n);
  pay(block.coinbase, reward + (reward / 32n) * BigInt(uncles.length));
}

/** After the last transaction: what EIP-7685 asks of the other layer, each request with its type before it. */
export async function endOfBlockCalls(machine: Machine): Promise<readonly Uint8Array[]> {
  const requests: Uint8Array[] = [];
  if (!includes(machine.fork, 'prague')) return requests;
  for (const { type, address } of REQUEST_CONTRACTS) {
    const output = await call(machine, address, new Uint8Array());
    if (output.length > 0) requests.push(Buffer.concat([Uint8Array.of(type), output]));
  }
  return requests;
}

async function call(machine: Machine, to: Address, data: Uint8Array): Promise<Uint8Array> {
  if (!hasCode(machine.state, to)) return new Uint8Array();
  const { output } = await runInTurns(executeSystemCall(machine, { to, data }), machine);
  return output;
}
