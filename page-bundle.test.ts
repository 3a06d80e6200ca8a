import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, expect, test } from 'vitest';
import { counter } from './examples/counter/src/counter.ts';
import { orderbook } from './examples/orderbook/src/orderbook.ts';
import { createSigner, formatAddress } from './packages/protocol/src/index.ts';
import type { clientOf } from './packages/rollup/src/client.ts';
import type { defineRollup } from './packages/rollup/src/index.ts';
import type { liveClient } from './packages/rollup/src/live/index.ts';
import { getFetch, testRollup } from './packages/rollup/src/testing.ts';

/* A page with the typed client of a definition: how much it loads, and that it does what the client in Node does. */

const directory = mkdtempSync(join(tmpdir(), 'switchyard-page-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Bundles the text of a module as for a page, from sources. */
async function bundled(text: string) {
  const page = { name: 'page', resolveId: (id: string) => (id === 'page' ? join(import.meta.dirname, id) : undefined) };
  const bundle = await rolldown({
    input: 'page',
    platform: 'browser',
    plugins: [{ ...page, load: (id) => (id === join(import.meta.dirname, 'page') ? text : undefined) }],
    resolve: { conditionNames: ['switchyard-source', 'browser', 'import', 'default'] },
  });
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' };
  const dir = mkdtempSync(join(directory, 'bundle-'));
  const { output } = await bundle.write({ dir, minify: true, comments: false, ...names });
  const chunks = output.flatMap((each) => (each.type === 'chunk' ? [each] : []));
  const entry = chunks.find(({ isEntry }) => isEntry);
  return { chunks, url: pathToFileURL(join(dir, entry?.fileName ?? '')).href };
}

// Each bound goes down alone: a page of an author pays for whatever the client loads.
test.each([
  ['clientOf', 'client', 'counter', 25_000],
  ['clientOf', 'client', 'market', 30_600],
  ['liveClient', 'live', 'counter', 37_500],
])('a page with %s of rollup/%s for %s loads at most %i bytes, compressed', async (made, entry, name, most) => {
  const { chunks } = await bundled(`
    import { ${made} } from '@switchyard/rollup/${entry}';
    import { ${name} } from './examples/${name}/src/${name}.ts';
    globalThis.client = ${made}(${name}, { url: '' });
  `);
  // Without the chunks that it loads when it needs them.
  const loaded = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of loaded) for (const each of chunks) if (imports.includes(each.fileName)) loaded.add(each);
  const size = [...loaded].reduce((sum, { code }) => sum + gzipSync(code).length, 0);
  expect(size).toBeLessThanOrEqual(most);
});

test('in a page the client submits, asks, follows and names what a node lacks', async () => {
  const { url } = await bundled(`
    export { defineRollup } from '@switchyard/rollup';
    export { clientOf } from '@switchyard/rollup/client';
  `);
  // The exports of the text above.
  const page = (await import(url)) as {
    readonly clientOf: typeof clientOf;
    readonly defineRollup: typeof defineRollup;
  };
  const genesis = { rollup_name: 'counter', sequencer_chain_id: 'sequencer-0', chain_id: 'counter-1', start: '100' };
  const node = await testRollup(counter, JSON.stringify(genesis));
  const options = { url: 'http://node', fetch: getFetch(node) };
  const client = page.clientOf(counter, options);
  const signer = createSigner(new Uint8Array(32).fill(1));

  await client.submit.add({ amount: 5n }, signer, { until: 'accepted' });
  await node.block();
  expect(await client.query.total()).toEqual({ total: 105n });

  const ending = new AbortController();
  for await (const { kind, data } of client.rollup.follow('/v1/streams/blocks', {
    lastId: '0',
    signal: ending.signal,
  })) {
    expect([kind, data.at('number').big()]).toEqual(['block', 1n]);
    ending.abort();
  }

  const other = page.defineRollup({ ...counter, version: 2 });
  expect(other.fingerprint).not.toBe(counter.fingerprint);
  await expect(page.clientOf(other, options).submit.add({ amount: 1n }, signer)).rejects.toThrow(
    `${counter.fingerprint} of the node at http://node: version is 1, was 2`,
  );
  await node.stop();
});

// Defect: the definitions of a page had no indexes, so that queries by one failed there.
test('in a page a live query reads rows by an index, with those of an action that no block has', async () => {
  const { url } = await bundled(`
    export { liveClient } from '@switchyard/rollup/live';
    export { orderbook } from './examples/orderbook/src/orderbook.ts';
  `);
  // The exports of the text above.
  const page = (await import(url)) as {
    readonly liveClient: typeof liveClient;
    readonly orderbook: typeof orderbook;
  };
  const signer = createSigner(new Uint8Array(32).fill(1));
  const node = await testRollup(
    orderbook,
    JSON.stringify({
      ...{ rollup_name: 'orderbook', sequencer_chain_id: 'sequencer-0' },
      balances: [{ account: formatAddress(signer.account), apples: '100', money: '100' }],
    }),
  );
  await node.client.submit.place({ isBid: true, price: 2, amount: 5n }, signer, { until: 'accepted' });
  await node.block();
  const app = page.liveClient(page.orderbook, { ...node.link, signer });
  const orders = app.live((ask) => ask.orderList({ owner: signer.account }).orders.map(({ price }) => price));
  const shown = (count: number) =>
    new Promise<void>((resolve) =>
      orders.subscribe(({ value }) => {
        if (value?.length === count) resolve();
      }),
    );
  await shown(1);
  const sent = app.submit.place({ isBid: true, price: 3, amount: 5n });
  await shown(2);
  expect([orders.get().value, orders.get().block]).toEqual([[3, 2], 1n]);
  await sent.until('accepted');
  await node.block();
  await sent.until('executed');
  expect(orders.get().value).toEqual([3, 2]);
  app.close();
  await node.stop();
});
