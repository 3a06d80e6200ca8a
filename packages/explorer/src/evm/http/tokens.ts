import type { AnyRoute } from '@switchyard/service/api';
import { evm, holder, tokenItem } from '../../contract/evm.ts';
import { answer } from '../../http/answer.ts';
import { listRoute } from '../../http/list-route.ts';
import { notFound } from '../../http/problems.ts';
import { readRows, view } from '../../http/view.ts';
import { type EvmContext, evmRollup } from './context.ts';
import { TOKENS, TRANSFERS, tokenFacts } from './views.ts';

/** Tokens of EVM rollups. */
export function evmTokenRoutes(context: EvmContext): readonly AnyRoute[] {
  const key = (rollup: string) => evmRollup(context, rollup).key;
  return [
    answer(evm.getEvmToken, async ({ path: { rollup, address } }) => {
      const [row] = await readRows(context.store, TOKENS, 'k.rollup = ? AND k.address = ?', [key(rollup), address]);
      if (row === undefined) throw notFound(`no token 0x${address}: it has reported no transfer`);
      return TOKENS.json(row, {});
    }),
    listRoute(context, evm.listEvmTokens, {
      view: TOKENS,
      by: { 'k.transfers': 'number', 'k.address': 'address' },
      where: ({ rollup }) => ['k.rollup = ?', key(rollup)],
    }),
    listRoute(context, evm.listEvmTokenHolders, {
      view: view(holder, 'evm_holders h', { address: 'h.holder' }),
      by: { 'h.balance': 'word', 'h.holder': 'address' },
      where: ({ rollup, address }) => ['h.rollup = ? AND h.token = ?', key(rollup), address],
    }),
    listRoute(context, evm.listEvmTokenTransfers, {
      view: TRANSFERS,
      by: { 'x.number': 'number', 'x.log': 'number', 'x.item': 'number' },
      where: ({ rollup, address }) => ['x.rollup = ? AND x.token = ?', key(rollup), address],
      compute: () => tokenFacts,
    }),
    listRoute(context, evm.listEvmTokenItems, {
      view: view(tokenItem, 'evm_items n', { id: 'n.token_id', owner: 'n.holder' }),
      by: { 'n.token_id': 'word', 'n.holder': 'address' },
      direction: 'ASC',
      where: ({ rollup, address }) => ['n.rollup = ? AND n.token = ?', key(rollup), address],
    }),
  ];
}
