import type { Hono } from 'hono';
import type { Row } from '../store/store.ts';
import { type ApiContext, followed, rollupIdOf, rollupName } from './context.ts';
import { below, hashParameter, heightParameter, json, notFound, page, pageRequest, time } from './page.ts';
import { ROLLUP_BLOCK_COLUMNS, ROLLUP_BLOCKS, rollupBlockJson } from './shown.ts';
import { findSubmissions, SUBMISSION_COLUMNS, SUBMISSIONS, submissionJson } from './submissions.ts';

/** What rollups have in sequencer blocks and, of those that are followed, what they made of it. */
export function rollupRoutes(app: Hono, context: ApiContext): void {
  const { store, address } = context;
  const idOf = (text: string): string => {
    const id = rollupIdOf(context, text);
    if (id === undefined) throw notFound(`no rollup ${JSON.stringify(text.slice(0, 100))} is followed here`);
    return id;
  };

  app.get('/v1/rollups', async (c) => {
    const request = pageRequest(c, 1);
    const offset = request.after[0] ?? 0;
    const rows = await store.read('SELECT * FROM rollups ORDER BY last_height DESC, rollup LIMIT ? OFFSET ?', [
      request.limit + 1,
      offset,
    ]);
    const known = new Set(rows.map(({ rollup }) => rollup));
    // A rollup that is followed is there before it has data.
    const silent = offset > 0 ? [] : context.rollups.flatMap((each) => each.state().head?.id ?? []);
    const added = silent.filter((id) => !known.has(id)).map((rollup): Row => ({ rollup }));
    const next = rows.length > request.limit ? String(offset + request.limit) : null;
    return json({ items: [...rows.slice(0, request.limit), ...added].map((row) => rollupJson(context, row)), next });
  });

  app.get('/v1/rollups/:rollup', async (c) => {
    const id = idOf(c.req.param('rollup'));
    const [row] = await store.read('SELECT * FROM rollups WHERE rollup = ?', [id]);
    if (row === undefined && followed(context, id) === undefined) throw notFound(`no rollup ${id} in the index`);
    return json(rollupJson(context, row ?? { rollup: id }));
  });

  app.get('/v1/rollups/:rollup/blocks', async (c) => {
    const request = pageRequest(c, 1);
    const { sql, params } = below(['r.number'], request);
    const rows = await store.read(
      `SELECT ${ROLLUP_BLOCK_COLUMNS} FROM ${ROLLUP_BLOCKS} WHERE r.rollup = ? AND ${sql} ORDER BY r.number DESC LIMIT ?`,
      [idOf(c.req.param('rollup')), ...params, request.limit + 1],
    );
    return json(page(rows, request, ['number'], rollupBlockJson));
  });

  app.get('/v1/rollups/:rollup/blocks/:number', async (c) => {
    const id = idOf(c.req.param('rollup'));
    const number = heightParameter('number', c.req.param('number'));
    const [row] = await store.read(
      `SELECT ${ROLLUP_BLOCK_COLUMNS} FROM ${ROLLUP_BLOCKS} WHERE r.rollup = ? AND r.number = ?`,
      [id, number],
    );
    if (row === undefined) throw notFound(`no block ${number} of this rollup in the index`);
    const refusals = await store.read(
      'SELECT position, hash, code, reason FROM refusals WHERE rollup = ? AND number = ? ORDER BY position LIMIT 1000',
      [id, number],
    );
    return json({ ...rollupBlockJson(row), refusals });
  });

  app.get('/v1/rollups/:rollup/transactions', async (c) => {
    const id = idOf(c.req.param('rollup'));
    const request = pageRequest(c, 2);
    const { sql, params } = below(['s.height', 's.position'], request);
    const rows = await store.read(
      `SELECT ${SUBMISSION_COLUMNS} FROM ${SUBMISSIONS} WHERE s.rollup = ? AND ${sql}
       ORDER BY s.height DESC, s.position DESC LIMIT ?`,
      [id, ...params, request.limit + 1],
    );
    return json(page(rows, request, ['height', 'position'], (row) => submissionJson(context, row)));
  });

  app.get('/v1/rollups/:rollup/transactions/:hash', async (c) => {
    const id = idOf(c.req.param('rollup'));
    const hash = hashParameter('hash', c.req.param('hash'));
    const found = (await findSubmissions(context, hash)).filter(({ rollup }) => rollup === id);
    if (found.length === 0) throw notFound(`no transaction ${hash} of this rollup in the index`);
    return json({ items: found });
  });

  app.get('/v1/rollups/:rollup/deposits', async (c) => {
    const id = idOf(c.req.param('rollup'));
    const request = pageRequest(c, 2);
    const { sql, params } = below(['d.height', 'd.position'], request);
    const rows = await store.read(
      `SELECT d.*, b.time, r.number, k.reason FROM deposits d JOIN blocks b ON b.height = d.height
       LEFT JOIN rollup_blocks r ON r.rollup = d.rollup AND r.sequencer_hash = b.hash
       LEFT JOIN skipped_deposits k ON k.transaction_hash = d.transaction_hash AND k.rollup = d.rollup AND k.action = d.action
       WHERE d.rollup = ? AND ${sql} ORDER BY d.height DESC, d.position DESC LIMIT ?`,
      [id, ...params, request.limit + 1],
    );
    return json(
      page(rows, request, ['height', 'position'], (row) => ({
        height: row.height,
        position: row.position,
        time: time(row.time),
        transaction: row.transaction_hash,
        action: row.action,
        bridge: address(row.bridge),
        asset: row.asset,
        amount: row.amount,
        destination: row.destination,
        block: row.number,
        state: row.number === null ? 'sequenced' : row.reason === null ? 'credited' : 'refused',
        reason: row.reason,
      })),
    );
  });
}

function rollupJson(context: ApiContext, row: Row) {
  const id = String(row.rollup);
  const state = followed(context, id)?.state();
  return {
    rollup: id,
    name: rollupName(context, id),
    firstHeight: row.first_height ?? null,
    lastHeight: row.last_height ?? null,
    submissions: row.submissions ?? 0,
    bytes: row.bytes ?? 0,
    deposits: row.deposits ?? 0,
    node:
      state?.head === undefined
        ? null
        : {
            url: state.url,
            chainId: state.head.chainId,
            soft: state.head.soft,
            firm: state.head.firm ?? null,
            indexed: state.number,
            problem: state.problem ?? null,
            awaySince: time(state.awaySince),
          },
  };
}
