import { type AccountId, accountIdFromBytes, fromHex, parseAddress } from '@switchyard/protocol';
import { errorLine } from '@switchyard/service';
import type { Hono } from 'hono';
import type { ApiContext } from './context.ts';
import { rollupName } from './context.ts';
import { below, json, page, pageRequest } from './page.ts';
import { TRANSACTION_COLUMNS, transactionJson } from './shown.ts';

/** Accounts of the sequencer, bridge accounts and validators. */
export function accountRoutes(app: Hono, context: ApiContext): void {
  const { store, address } = context;

  app.get('/v1/accounts/:address', async (c) => {
    const account = accountParameter(c.req.param('address'));
    const [row] = await store.read('SELECT * FROM accounts WHERE account = ?', [account]);
    const [bridge] = await store.read('SELECT * FROM bridges WHERE account = ?', [account]);
    const [validator] = await store.read('SELECT address FROM validators WHERE address = ?', [account]);
    return json({
      address: address(account),
      account,
      transactions: row?.transactions ?? 0,
      firstHeight: row?.first_height ?? null,
      lastHeight: row?.last_height ?? null,
      isValidator: validator !== undefined,
      bridge:
        bridge === undefined
          ? null
          : { rollup: bridge.rollup, name: rollupName(context, String(bridge.rollup)), asset: bridge.asset },
      ...(await holdings(context, account)),
    });
  });

  app.get('/v1/accounts/:address/transactions', async (c) => {
    const account = accountParameter(c.req.param('address'));
    const request = pageRequest(c, 2);
    const { sql, params } = below(['a.height', 'a.position'], request);
    const rows = await store.read(
      `SELECT ${TRANSACTION_COLUMNS} FROM account_transactions a
       JOIN transactions t ON t.height = a.height AND t.position = a.position JOIN blocks b ON b.height = a.height
       WHERE a.account = ? AND ${sql} ORDER BY a.height DESC, a.position DESC LIMIT ?`,
      [account, ...params, request.limit + 1],
    );
    return json(page(rows, request, ['height', 'position'], (row) => transactionJson(row, address)));
  });

  app.get('/v1/bridges', async (c) => {
    const request = pageRequest(c, 1);
    const offset = request.after[0] ?? 0;
    const rows = await store.read('SELECT * FROM bridges ORDER BY height DESC, account LIMIT ? OFFSET ?', [
      request.limit + 1,
      offset,
    ]);
    const shown = rows.slice(0, request.limit).map(async (row) => ({
      address: address(row.account),
      rollup: row.rollup,
      name: rollupName(context, String(row.rollup)),
      asset: row.asset,
      height: row.height,
      transaction: row.transaction_hash === '' ? null : row.transaction_hash,
      deposits: row.deposits,
      ...(await bridgeRoles(context, String(row.account))),
      ...(await holdings(context, String(row.account) as AccountId)),
    }));
    const next = rows.length > request.limit ? String(offset + request.limit) : null;
    return json({ items: await Promise.all(shown), next });
  });

  app.get('/v1/validators', async () => {
    const rows = await store.read(
      'SELECT * FROM validators ORDER BY active DESC, LENGTH(power) DESC, power DESC, address LIMIT 1000',
    );
    const validators = rows.map((row) => ({
      address: row.address,
      publicKey: row.public_key,
      power: row.power,
      active: row.active === 1,
      proposed: row.proposed,
      signed: row.signed,
      missed: row.missed,
    }));
    return json({ validators });
  });
}

/** As an address of any prefix, or as 40 hex digits. @throws {Rejected} */
export function accountParameter(text: string): AccountId {
  return /^[0-9a-f]{40}$/i.test(text) ? accountIdFromBytes(fromHex(text)) : parseAddress(text);
}

/** What an account holds now, from the node; `problem` where that does not answer. */
async function holdings({ client, address, log, signal }: ApiContext, account: AccountId) {
  try {
    const text = address(account) ?? '';
    const [{ balances, height }, { nonce }] = await Promise.all([
      client.balances(text, signal),
      client.nonce(text, signal),
    ]);
    return {
      nonce,
      balances: balances.map(({ asset, amount }) => ({ asset, amount: String(amount) })),
      balancesAt: height,
    };
  } catch (error) {
    log.debug({ error: errorLine(error) }, 'the sequencer gave no balances');
    return { nonce: null, balances: null, problem: 'the sequencer does not answer' };
  }
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
