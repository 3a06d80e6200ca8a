import type { Hono } from 'hono';
import type { ApiContext } from './context.ts';
import { rollupName } from './context.ts';
import { below, hashParameter, heightParameter, json, malformed, notFound, page, pageRequest } from './page.ts';
import { blockJson, TRANSACTION_COLUMNS, TRANSACTIONS, transactionJson } from './shown.ts';

/** The sequencer's blocks and transactions. */
export function blockRoutes(app: Hono, context: ApiContext): void {
  const { store, address } = context;

  app.get('/v1/blocks', async (c) => {
    const request = pageRequest(c, 1);
    const { sql, params } = below(['height'], request);
    const rows = await store.read(`SELECT * FROM blocks WHERE ${sql} ORDER BY height DESC LIMIT ?`, [
      ...params,
      request.limit + 1,
    ]);
    return json(page(rows, request, ['height'], blockJson));
  });

  app.get('/v1/blocks/:id', async (c) => {
    const id = c.req.param('id');
    const isHeight = /^\d{1,15}$/.test(id);
    if (!isHeight && !/^(0x)?[0-9a-f]{64}$/i.test(id)) throw malformed('block', 'a height or 64 hex digits', id);
    const [row] = await store.read(`SELECT * FROM blocks WHERE ${isHeight ? 'height' : 'hash'} = ?`, [
      isHeight ? heightParameter('height', id) : hashParameter('hash', id),
    ]);
    if (row === undefined)
      throw notFound(`no block ${id} in the index, which is at ${context.sequencer.state().height}`);
    const rollups = await store.read('SELECT * FROM block_rollups WHERE height = ? ORDER BY rollup', [row.height ?? 0]);
    return json({
      ...blockJson(row),
      absent: String(row.absent ?? '')
        .split(',')
        .filter((each) => each !== ''),
      rollups: rollups.map((each) => ({
        rollup: each.rollup,
        name: rollupName(context, String(each.rollup)),
        submissions: each.submissions,
        bytes: each.bytes,
        deposits: each.deposits,
      })),
    });
  });

  app.get('/v1/blocks/:height/transactions', async (c) => {
    const height = heightParameter('height', c.req.param('height'));
    const request = pageRequest(c, 1);
    // Of one block in the order in which they were executed.
    const rows = await store.read(
      `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTIONS} WHERE t.height = ? AND t.position > ? ORDER BY t.position LIMIT ?`,
      [height, request.after[0] ?? -1, request.limit + 1],
    );
    return json(page(rows, request, ['position'], (row) => transactionJson(row, address)));
  });

  app.get('/v1/transactions', async (c) => {
    const request = pageRequest(c, 2);
    const { sql, params } = below(['t.height', 't.position'], request);
    const rows = await store.read(
      `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTIONS} WHERE ${sql} ORDER BY t.height DESC, t.position DESC LIMIT ?`,
      [...params, request.limit + 1],
    );
    return json(page(rows, request, ['height', 'position'], (row) => transactionJson(row, address)));
  });

  app.get('/v1/transactions/:hash', async (c) => {
    const hash = hashParameter('hash', c.req.param('hash'));
    const [row] = await store.read(
      `SELECT ${TRANSACTION_COLUMNS}, t.actions FROM ${TRANSACTIONS} WHERE t.hash = ? LIMIT 1`,
      [hash],
    );
    if (row === undefined) throw notFound(`no sequencer transaction ${hash} in the index`);
    return json({ ...transactionJson(row, address), actions: JSON.parse(String(row.actions)) as unknown });
  });
}
