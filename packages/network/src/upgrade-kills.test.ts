import { createSigner, formatAddress, fromHex } from '@switchyard/protocol';
import { action, announceUpgrade, defineRollup, query, record, since, table, u32, u64 } from '@switchyard/rollup';
import { clientOf } from '@switchyard/rollup/client';
import { upgradePlan } from '@switchyard/rollup/internal';
import { rollupFields, rollupProcess } from '@switchyard/rollup/node';
import { expect, test } from 'vitest';
import { localNetwork, rollup } from './index.ts';

/** Block of the upgrade. */
const AT = 8n;
const signer = createSigner(fromHex('07'.repeat(32)));

const row = { size: u32 };
const before = table({ name: 'things', key: u32, value: record(row) });
const things = table({ name: 'things', key: u32, value: record({ ...row, price: since(AT, u64) }) });
const fields = { id: u32 };
/** How often an id was put, and its price. */
const answer = { count: u32, price: u64 };
const parameters = { id: u32 };
const old = defineRollup({
  name: 'shop',
  tables: [before],
  actions: {
    put: action({
      fields,
      execute: ({ id }, { state }) => before.put(state, id, { size: (before.get(state, id)?.size ?? 0) + 1 }),
    }),
    announceUpgrade,
  },
  queries: {
    thing: query({
      ...{ parameters, answer },
      handle: ({ id }, { state }) => ({ count: before.get(state, id)?.size ?? 0, price: 0n }),
    }),
  },
});
const next = defineRollup({
  name: 'shop',
  tables: [things],
  actions: {
    put: action({
      fields,
      execute: ({ id }, { state }) =>
        things.put(state, id, { size: (things.get(state, id)?.size ?? 0) + 1, price: 9n }),
    }),
    announceUpgrade,
  },
  queries: {
    thing: query({
      ...{ parameters, answer },
      handle({ id }, { state }) {
        const { size, price } = things.get(state, id) ?? { size: 0, price: 0n };
        return { count: size, price };
      },
    }),
  },
});

test('conductor and composer are killed in the middle of an announced upgrade: each acknowledged transaction is executed once', async () => {
  let isNew = false;
  const process: typeof oldProcess = {
    ...{ name: 'shop', fields: rollupFields },
    main: (config, context) => (isNew ? rollupProcess(next) : oldProcess).main(config, context),
  };
  const shop = rollup({
    ...{ name: 'shop', process },
    client: ({ url, fetch }) => clientOf(old, { url, fetch }),
    genesis: ({ rollupName, chainId }) =>
      JSON.stringify({
        ...{ rollup_name: rollupName, sequencer_chain_id: chainId },
        upgrade_authority: { bech32m: formatAddress(signer.account) },
      }),
  });
  await using network = await localNetwork({ rollups: [shop], blocks: 'manual' });
  const client = network.client('shop');
  const conductor = 'shop-conductor';
  const getSoft = async () => {
    const status: unknown = await (await network.fetch('shop', '/v1/status')).json();
    // The node's own answer.
    return BigInt((status as { readonly soft: { readonly number: number } }).soft.number);
  };
  const [upgrade] = upgradePlan(old.document, next.document, 0n).upgrades;
  expect(upgrade?.block).toBe(AT);
  const definition = fromHex(upgrade?.fingerprint ?? '');
  await client.submit.announceUpgrade({ block: AT, definition, release: '2.0.0' }, signer, { until: 'accepted' });
  await network.mine(1);
  await client.submit.put({ id: 1 }, signer, { until: 'accepted' });
  for (const part of ['composer', conductor]) {
    await network.kill(part);
    await network.start(part);
  }
  while ((await getSoft()) < AT - 1n) await network.mine(1);

  await client.submit.put({ id: 2 }, signer, { until: 'accepted' });
  await network.kill('composer');
  await network.start('composer');
  const stopped = network.mine(1).catch(String);
  const lacks = 'an upgrade was announced for block 8, and this program lacks it';
  await expect.poll(async () => (await network.fetch('shop', '/readyz')).text(), { timeout: 60_000 }).toContain(lacks);
  for (const part of [conductor, 'composer', 'shop']) await network.kill(part);
  isNew = true;
  for (const part of ['composer', 'shop', conductor]) await network.start(part);
  await stopped;
  await expect.poll(getSoft, { timeout: 60_000 }).toBeGreaterThanOrEqual(AT);
  await network.kill(conductor);
  await client.submit.put({ id: 3 }, signer, { until: 'accepted' });
  await network.start(conductor);
  await network.mine(2);
  await expect.poll(() => client.query.thing({ id: 3 }), { timeout: 60_000 }).toEqual({ count: 1, price: 9n });
  expect(await client.query.thing({ id: 2 })).toEqual({ count: 1, price: 9n });
  expect(await client.query.thing({ id: 1 })).toEqual({ count: 1, price: 0n });
}, 180_000);

const oldProcess = rollupProcess(old);
