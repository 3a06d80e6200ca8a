import type { AnyRoute } from '@switchyard/service/api';
import { account, sequencer } from '../contract/sequencer.ts';
import { ofAccount } from './account-parameter.ts';
import { answer } from './answer.ts';
import { text } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';
import { holdings } from './holdings.ts';
import { readRows, view } from './view.ts';

const ACCOUNTS = view(account, 'accounts a', { address: 'a.account' });

/** An account of the sequencer. */
export function accountRoute(context: ApiContext): AnyRoute {
  const { store } = context;
  return answer(ofAccount(sequencer.getAccount), async ({ path: { address } }) => {
    const [[row = { address, account: address }], [bridge], [validator], held] = await Promise.all([
      readRows(store, ACCOUNTS, 'a.account = ?', [address]),
      store.read('SELECT rollup, asset FROM bridges WHERE account = ?', [address]),
      store.read('SELECT address FROM validators WHERE address = ?', [address]),
      holdings(context, address),
    ]);
    const rollup = text(bridge?.rollup);
    return ACCOUNTS.json(
      row,
      {
        isValidator: validator !== undefined,
        bridge: bridge === undefined ? null : { rollup, name: rollupName(context, rollup), asset: text(bridge.asset) },
        ...held,
      },
      context,
    );
  });
}
