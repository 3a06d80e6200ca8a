import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { TAG } from './blocks.ts';
import { text } from './cells.ts';
import type { ApiContext } from './context.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import { accountParameter, hashParameter } from './schemas.ts';
import { TRANSACTION_COLUMNS, TRANSACTIONS, transactionJson, transactionMembers, transactionSchema } from './shown.ts';

const actionSchema = schema.object(
  { kind: schema.text('What it does, such as transfer') },
  { name: 'Action', isOpen: true },
);
const fullSchema = schema.object(
  { ...transactionMembers, actions: schema.list(actionSchema) },
  { name: 'FullTransaction' },
);

/** The sequencer's transactions. */
export function transactionRoutes({ store, address }: ApiContext): readonly AnyRoute[] {
  const list = {
    tag: TAG,
    name: 'TransactionPage',
    item: transactionSchema,
    show: (rows: readonly Parameters<typeof transactionJson>[0][]) => rows.map((row) => transactionJson(row, address)),
  };
  const all = listRoute(store, {
    ...list,
    url: '/v1/transactions',
    id: 'listTransactions',
    summary: 'Transactions, newest first',
    by: { 't.height': 'number', 't.position': 'number' },
    sql: (page) => ({
      sql: `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTIONS} WHERE ${page.sql} ${page.order}`,
      params: page.params,
    }),
  });
  const ofBlock = listRoute(store, {
    ...list,
    url: '/v1/blocks/{height}/transactions',
    id: 'listBlockTransactions',
    summary: 'Transactions of a block, in its order',
    path: { height: schema.integer('Of the block') },
    by: { 't.position': 'number' },
    direction: 'ASC',
    sql: (page, { height }) => ({
      sql: `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTIONS} WHERE t.height = ? AND ${page.sql} ${page.order}`,
      params: [height, ...page.params],
    }),
  });
  const ofAccount = listRoute(store, {
    ...list,
    url: '/v1/accounts/{address}/transactions',
    id: 'listAccountTransactions',
    summary: 'Transactions that touch an account, newest first',
    path: { address: accountParameter },
    by: { 'a.height': 'number', 'a.position': 'number' },
    sql: (page, { address: account }) => ({
      sql: `SELECT ${TRANSACTION_COLUMNS} FROM account_transactions a
        JOIN transactions t ON t.height = a.height AND t.position = a.position JOIN blocks b ON b.height = a.height
        WHERE a.account = ? AND ${page.sql} ${page.order}`,
      params: [account, ...page.params],
    }),
  });
  const one = route({
    method: 'get',
    url: '/v1/transactions/{hash}',
    id: 'getTransaction',
    tag: TAG,
    summary: 'One transaction, with the first 64 of its actions',
    path: { hash: hashParameter },
    answers: { 200: fullSchema },
    errors: { 404: 'No such transaction in the index', 503: 'The index does not answer' },
    async handle({ path: { hash } }) {
      const [row] = await store.read(
        `SELECT ${TRANSACTION_COLUMNS}, t.actions FROM ${TRANSACTIONS} WHERE t.hash = ? LIMIT 1`,
        [hash],
      );
      if (row === undefined) throw notFound(`no sequencer transaction ${hash} in the index`);
      const actions = JSON.parse(text(row.actions)) as schema.TypeOf<typeof actionSchema>[];
      return { status: 200, body: { ...transactionJson(row, address), actions } };
    },
  });
  return [all, ofBlock, ofAccount, one];
}
