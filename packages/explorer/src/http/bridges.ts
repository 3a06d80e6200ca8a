import type { AccountId } from '@switchyard/protocol';
import type { AnyRoute } from '@switchyard/service/api';
import { bridge, sequencer } from '../contract/sequencer.ts';
import type { Row } from '../store/store.ts';
import { ofAccount } from './account-parameter.ts';
import { answer } from './answer.ts';
import { text } from './cells.ts';
import type { ApiContext } from './context.ts';
import { holdings } from './holdings.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import { readRows, view } from './view.ts';

const BRIDGES = view(bridge, 'bridges', {
  address: 'bridges.account',
  account: 'bridges.account',
  transaction: 'bridges.transaction_hash',
});

/** Bridge accounts of the sequencer. */
export function bridgeRoutes(context: ApiContext): readonly AnyRoute[] {
  const all = listRoute(context, sequencer.listBridges, {
    view: BRIDGES,
    by: { 'bridges.height': 'number', 'bridges.account': 'address' },
    async compute(rows) {
      const accounts = [...new Set(rows.map(getAccount))];
      const known = new Map(await Promise.all(accounts.map(async (each) => [each, await now(context, each)] as const)));
      return (row) => known.get(getAccount(row)) ?? { nonce: null, balances: null };
    },
  });
  const one = answer(ofAccount(sequencer.getBridge), async ({ path: { address } }) => {
    const [row] = await readRows(context.store, BRIDGES, 'account = ?', [address]);
    if (row === undefined) throw notFound(`${context.address(address) ?? address} is no bridge account in the index`);
    return BRIDGES.json(row, await now(context, address), context);
  });
  return [all, one];
}

/** Roles and balances of a bridge account from the node. */
const now = async (context: ApiContext, account: AccountId) => ({
  ...(await bridgeRoles(context, account)),
  ...(await holdings(context, account)),
});

// The indexer has it from a decoded block.
const getAccount = ({ account }: Row) => text(account) as AccountId;

async function bridgeRoles({ client, address, signal }: ApiContext, account: string) {
  try {
    const found = await client.bridgeAccount(address(account) ?? '', signal);
    return found === undefined ? {} : { sudo: found.sudo, withdrawer: found.withdrawer };
  } catch {
    // The caller finds in the balances that the node does not answer.
    return {};
  }
}
