import { includes } from '@switchyard/evm-machine/fork';
import type { MachineOptions } from '@switchyard/evm-machine/interface';
import type { Header } from '@switchyard/evm-machine/types';
import { credit } from '../transactions/accounts.ts';

/**
 * Before the merge, the maker of a block was paid for it, and for uncles in it (Yellow Paper, 11.3; EIP-649, EIP-1234).
 *
 * @param uncles Headers of other blocks that this one names.
 */
export function payMiner(
  { fork, state, block }: MachineOptions,
  uncles: readonly Pick<Header, 'number' | 'coinbase'>[] = [],
): void {
  if (includes(fork, 'paris')) return;
  const coins = includes(fork, 'constantinople') ? 2n : includes(fork, 'byzantium') ? 3n : 5n;
  const reward = coins * 10n ** 18n;
  for (const { number, coinbase } of uncles) credit(state, coinbase, (reward * (number + 8n - block.number)) / 8n);
  credit(state, block.coinbase, reward + (reward / 32n) * BigInt(uncles.length));
}
