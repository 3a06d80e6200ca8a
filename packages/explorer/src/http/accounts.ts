import type { AccountId } from '@switchyard/protocol';
import type { AnyRoute } from '@switchyard/service/api';
import { account, bridge, sequencer, validator } from '../contract/sequencer.ts';
import type { Row } from '../store/store.ts';
import { ofAccount } from './account-parameter.ts';
import { answer } from './answer.ts';
import { text } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';
import { holdings } from './holdings.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
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

const VALIDATORS = view(validator, 'validators');

/** Validators of the sequencer. */
export const validatorRoute = ({ store }: ApiContext): AnyRoute =>
  answer(sequencer.listValidators, async () => {
    const rows = await store.read(
      `SELECT ${VALIDATORS.select} FROM validators
       ORDER BY validators.active DESC, LENGTH(validators.power) DESC, validators.power DESC, validators.address LIMIT 1000`,
    );
    return { validators: rows.map((row) => VALIDATORS.json(row, {})) };
  });

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
