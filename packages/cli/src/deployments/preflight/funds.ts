import { type Action, type AssetId, parseDenom } from '@switchyard/protocol';
import { Failure } from '@switchyard/service/failure';
import type { SequencerPort } from '../../connect.ts';

/**
 * Compares the cost of a transaction for its signer with what the signer holds. A sequencer would keep a transaction
 * that cannot be paid for and wait for money; at a command line it should be reported at once.
 *
 * @throws {Failure} naming the asset, the available and the needed amount.
 */
export async function requireFunds(
  sequencer: SequencerPort,
  address: string,
  transaction: { readonly chainId: string; readonly actions: readonly Action[] },
): Promise<void> {
  const [fees, balances] = await Promise.all([sequencer.fees(transaction), sequencer.balances(address)]);
  const needs = new Map<AssetId, { name: string; sent: bigint; fee: bigint }>();
  const add = (name: string, what: 'sent' | 'fee', amount: bigint) => {
    const { id } = parseDenom(name);
    const need = needs.get(id) ?? { name, sent: 0n, fee: 0n };
    need[what] += amount;
    needs.set(id, need);
  };
  for (const { asset, amount } of fees) add(asset, 'fee', amount);
  for (const action of transaction.actions) {
    if (action.kind === 'transfer' || action.kind === 'bridgeLock') add(action.asset.text, 'sent', action.amount);
  }
  const held = new Map(balances.map(({ asset, amount }) => [parseDenom(asset).id, amount]));
  for (const [id, { name, sent, fee }] of needs) {
    const has = held.get(id) ?? 0n;
    if (has >= sent + fee) continue;
    throw new Failure(`not enough ${name}: ${address} holds ${has}, needs ${sent + fee} (${sent} to send, ${fee} fee)`);
  }
}
