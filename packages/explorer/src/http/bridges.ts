import type { AccountId } from '@switchyard/protocol';
import { type AnyRoute, schema } from '@switchyard/service/api';
import { TAG } from './blocks.ts';
import { number, text, textOrNull } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';
import { holdingMembers, holdings } from './holdings.ts';
import { listRoute } from './list-route.ts';
import * as form from './schemas.ts';

const bridgeSchema = schema.object(
  {
    address: schema.nullable(form.account('Of the bridge account')),
    rollup: form.hash('Id of the rollup that it bridges to'),
    name: form.rollupName,
    asset: schema.text('That it takes'),
    height: schema.integer('Of the block in which it is first seen'),
    transaction: schema.nullable(form.hash('That made it one; null for one of genesis')),
    deposits: schema.integer('Deposits to the rollup through it'),
    withdrawals: schema.integer('Withdrawals from the rollup that it paid'),
    sudo: schema.optional(schema.text('Who may change its roles')),
    withdrawer: schema.optional(schema.text('Who may take from it')),
    ...holdingMembers,
  },
  { name: 'Bridge' },
);

/** Bridge accounts of the sequencer. */
export function bridgeRoute(context: ApiContext): AnyRoute {
  const { store, address } = context;
  return listRoute(store, {
    url: '/v1/bridges',
    id: 'listBridges',
    tag: TAG,
    summary: 'Bridge accounts, newest first, with what they hold now',
    name: 'BridgePage',
    item: bridgeSchema,
    by: { height: 'number', account: 'address' },
    sql: (page) => ({ sql: `SELECT * FROM bridges WHERE ${page.sql} ${page.order}`, params: page.params }),
    show: (rows) =>
      Promise.all(
        rows.map(async (row) => ({
          address: address(row.account),
          rollup: text(row.rollup),
          name: rollupName(context, text(row.rollup)),
          asset: text(row.asset),
          height: number(row.height),
          transaction: textOrNull(row.transaction_hash),
          deposits: number(row.deposits),
          withdrawals: number(row.withdrawals),
          ...(await bridgeRoles(context, text(row.account))),
          ...(await holdings(context, text(row.account) as AccountId)),
        })),
      ),
  });
}

async function bridgeRoles({ client, address, signal }: ApiContext, account: string) {
  try {
    const found = await client.bridgeAccount(address(account) ?? '', signal);
    return found === undefined ? {} : { sudo: found.sudo, withdrawer: found.withdrawer };
  } catch {
    // The caller finds in the balances that the node does not answer.
    return {};
  }
}
