import type { AccountId } from '@switchyard/protocol';
import type { AnyRoute } from '@switchyard/service/api';
import { bridge, sequencer } from '../contract/sequencer.ts';
import type { Row } from '../store/store.ts';
import { text } from './cells.ts';
import type { ApiContext } from './context.ts';
import { holdings } from './holdings.ts';
import { listRoute } from './list-route.ts';
import { view } from './view.ts';

const BRIDGES = view(bridge, 'bridges', {
  address: 'bridges.account',
  account: 'bridges.account',
  transaction: 'bridges.transaction_hash',
});

/** Bridge accounts of the sequencer. */
export function bridgeRoute(context: ApiContext): AnyRoute {
  return listRoute(context, sequencer.listBridges, {
    view: BRIDGES,
    by: { 'bridges.height': 'number', 'bridges.account': 'address' },
    async compute(rows) {
      const accounts = [...new Set(rows.map(accountOf))];
      const now = accounts.map(
        async (account) =>
          [account, { ...(await bridgeRoles(context, account)), ...(await holdings(context, account)) }] as const,
      );
      const known = new Map(await Promise.all(now));
      return (row) => known.get(accountOf(row)) ?? { nonce: null, balances: null };
    },
  });
}

// The indexer has it from a decoded block.
const accountOf = ({ account }: Row) => text(account) as AccountId;

async function bridgeRoles({ client, address, signal }: ApiContext, account: string) {
  try {
    const found = await client.bridgeAccount(address(account) ?? '', signal);
    return found === undefined ? {} : { sudo: found.sudo, withdrawer: found.withdrawer };
  } catch {
    // The caller finds in the balances that the node does not answer.
    return {};
  }
}
