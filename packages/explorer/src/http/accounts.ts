import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { TAG } from './blocks.ts';
import { number, numberOrNull, text } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';
import { holdingMembers, holdings } from './holdings.ts';
import * as form from './schemas.ts';

const accountSchema = schema.object(
  {
    address: schema.nullable(form.account('Of the account')),
    account: form.accountBytes('The bytes of the address'),
    transactions: schema.integer('Transactions that touch it'),
    firstHeight: schema.nullable(schema.integer('Of the block with the first of them')),
    lastHeight: schema.nullable(schema.integer('Of the block with the last of them')),
    isValidator: schema.flag('Whether it is the address of a validator'),
    bridge: schema.nullable(
      schema.object({
        rollup: form.hash('Id of the rollup that it bridges to'),
        name: form.rollupName,
        asset: schema.text('That it takes'),
      }),
    ),
    ...holdingMembers,
  },
  { name: 'Account' },
);

/** An account of the sequencer. */
export function accountRoute(context: ApiContext): AnyRoute {
  const { store, address } = context;
  return route({
    method: 'get',
    url: '/v1/accounts/{address}',
    id: 'getAccount',
    tag: TAG,
    summary: 'One account: what it has now, and what it is',
    path: { address: form.accountParameter },
    answers: { 200: accountSchema },
    errors: { 503: 'The index does not answer' },
    async handle({ path: { address: account } }) {
      const [[row], [bridge], [validator]] = await Promise.all([
        store.read('SELECT * FROM accounts WHERE account = ?', [account]),
        store.read('SELECT * FROM bridges WHERE account = ?', [account]),
        store.read('SELECT address FROM validators WHERE address = ?', [account]),
      ]);
      const body = {
        address: address(account),
        account,
        transactions: number(row?.transactions),
        firstHeight: numberOrNull(row?.first_height),
        lastHeight: numberOrNull(row?.last_height),
        isValidator: validator !== undefined,
        bridge:
          bridge === undefined
            ? null
            : {
                rollup: text(bridge.rollup),
                name: rollupName(context, text(bridge.rollup)),
                asset: text(bridge.asset),
              },
        ...(await holdings(context, account)),
      };
      return { status: 200, body };
    },
  });
}
