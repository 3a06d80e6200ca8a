import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { notFound } from '../../http/problems.ts';
import { fromSortable } from '../tokens/holdings.ts';
import { type EvmContext, evmRollup } from './context.ts';
import { listRoute } from './list-route.ts';
import * as form from './schemas.ts';
import {
  address,
  TRANSFER_COLUMNS,
  TRANSFERS,
  text,
  tokenJson,
  tokenSchema,
  transferJson,
  transferSchema,
} from './shown.ts';

const path = { address: form.addressParameter };

const holderSchema = schema.object(
  { address: form.address('The holder'), balance: form.amount('In the smallest unit, or items of an NFT') },
  { name: 'EvmHolder' },
);

const itemSchema = schema.object(
  {
    id: form.amount('Of the item'),
    owner: form.address('Who holds it'),
    amount: form.amount('1 for ERC-721'),
  },
  { name: 'EvmItem' },
);

/** Tokens of EVM rollups. */
export function evmTokenRoutes(context: EvmContext): readonly AnyRoute[] {
  const one = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/tokens/{address}',
    id: 'getEvmToken',
    tag: form.TAG,
    summary: 'One token',
    path: { rollup: form.rollupParameter, ...path },
    answers: { 200: tokenSchema },
    errors: { 404: 'No such token in the index' },
    async handle({ path: { rollup, address: token } }) {
      const { key } = evmRollup(context, rollup);
      const [row] = await context.store.read('SELECT * FROM evm_tokens WHERE rollup = ? AND address = ?', [key, token]);
      if (row === undefined) throw notFound(`no token 0x${token}: it has reported no transfer`);
      return { status: 200, body: tokenJson(row) };
    },
  });
  return [one, ...lists(context)];
}

function lists(context: EvmContext): readonly AnyRoute[] {
  return [
    listRoute(context, {
      url: '/tokens',
      id: 'listEvmTokens',
      summary: 'Tokens, those with the most transfers first',
      name: 'EvmTokenPage',
      item: tokenSchema,
      by: { 'k.transfers': 'number', 'k.address': 'address' },
      sql: ({ key }, page) => ({
        sql: `SELECT k.* FROM evm_tokens k WHERE k.rollup = ? AND ${page.sql} ${page.order}`,
        params: [key, ...page.params],
      }),
      show: (rows) => rows.map(tokenJson),
    }),
    listRoute(context, {
      url: '/tokens/{address}/holders',
      id: 'listEvmTokenHolders',
      summary: 'Who holds a token, the greatest holder first',
      path,
      name: 'EvmHolderPage',
      item: holderSchema,
      by: { 'h.balance': 'word', 'h.holder': 'address' },
      sql: ({ key }, page, { address: token }) => ({
        sql: `SELECT h.balance, h.holder FROM evm_holders h WHERE h.rollup = ? AND h.token = ? AND ${page.sql} ${page.order}`,
        params: [key, token, ...page.params],
      }),
      show: (rows) =>
        rows.map((row) => ({ address: address(row.holder), balance: String(fromSortable(text(row.balance))) })),
    }),
    listRoute(context, {
      url: '/tokens/{address}/transfers',
      id: 'listEvmTokenTransfers',
      summary: 'Transfers of a token, newest first',
      path,
      name: 'EvmTokenTransferPage',
      item: transferSchema,
      by: { 'x.number': 'number', 'x.log': 'number', 'x.item': 'number' },
      sql: ({ key }, page, { address: token }) => ({
        sql: `SELECT ${TRANSFER_COLUMNS} FROM ${TRANSFERS} WHERE x.rollup = ? AND x.token = ? AND ${page.sql} ${page.order}`,
        params: [key, token, ...page.params],
      }),
      show: (rows) => rows.map(transferJson),
    }),
    listRoute(context, {
      url: '/tokens/{address}/items',
      id: 'listEvmTokenItems',
      summary: 'Items of an NFT with their owners, by id',
      path,
      name: 'EvmItemPage',
      item: itemSchema,
      by: { 'n.token_id': 'word', 'n.holder': 'address' },
      direction: 'ASC',
      sql: ({ key }, page, { address: token }) => ({
        sql: `SELECT n.token_id, n.holder, n.amount FROM evm_items n WHERE n.rollup = ? AND n.token = ? AND ${page.sql} ${page.order}`,
        params: [key, token, ...page.params],
      }),
      show: (rows) =>
        rows.map((row) => ({
          id: String(fromSortable(text(row.token_id))),
          owner: address(row.holder),
          amount: String(fromSortable(text(row.amount))),
        })),
    }),
  ];
}
