import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { action, defineRollup, query, single, u64 } from '@switchyard/rollup';
import { clientOf } from '@switchyard/rollup/client';
import { rollupProcess } from '@switchyard/rollup/node';
import { expect, test } from 'vitest';
import { evm, localNetwork, messenger, rollup } from './index.ts';

const total = single({ name: 'total', value: u64, absent: 0n });
const counter = defineRollup({
  name: 'counter',
  tables: [total],
  actions: { add: action({ fields: { amount: u64 }, execute: ({ amount }, { state }) => total.put(state, amount) }) },
  queries: { total: query({ answer: { total: u64 }, handle: (_, { state }) => ({ total: total.get(state) }) }) },
});

const withAdminPage = rollup({
  ...{ name: 'counter', process: rollupProcess(counter) },
  client: ({ url, fetch }) => clientOf(counter, { url, fetch }),
  genesis: ({ rollupName, chainId }) =>
    JSON.stringify({
      ...{ rollup_name: rollupName, sequencer_chain_id: chainId, canonical_transactions: true },
      definition: counter.fingerprint,
    }),
});

/** Every path in the sources of all packages at which something other than GET is answered. */
function changingPaths(): string[] {
  const packages = join(import.meta.dirname, '..', '..');
  const files = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /^[^/]+\/src\/.*\.ts$/.test(name) && !/\.test\.ts$|\/gen\/|\/testing\//.test(name),
  );
  const found = files.flatMap((name) => {
    const text = readFileSync(join(packages, name), 'utf8');
    const routes = text.matchAll(/\bapp\.(?:post|put|patch|delete)\(\s*'([^']+)'/g);
    const rows = text.matchAll(/\bmethod: '(?:post|put|patch|delete)',\s*url: '([^']+)'/g);
    const lists = text.matchAll(/_PATHS = \[([^\]]+)\]/g);
    return [
      ...[...routes, ...rows].map(([, path = '']) => path),
      ...[...lists].flatMap(([, list = '']) => [...list.matchAll(/'([^']+)'/g)].map(([, path = '']) => path)),
    ];
  });
  return [...new Set([...found.map((path) => path.replaceAll(/:(?=name|rollup)\w+|\{\w+\}/g, 'add')), '/', '/any'])];
}

const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { origin: 'http://evil.test' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
];

// Defect: `/admin` and `POST /message` signed for forms of any page if every origin may read; the explorer compiled for
// them
test('no route of any process signs, pays or changes something for a page of another origin', async () => {
  const paths = changingPaths();
  expect(paths).toEqual(expect.arrayContaining(['/admin/actions/add', '/api/claim', '/message', '/api']));
  await using network = await localNetwork({
    ...{ rollups: [messenger(), evm(), withAdminPage], faucet: true, explorer: true, layer: true },
    withdrawals: true,
    settings: { messenger: { DEV_UNSIGNED_MESSAGES: 'true' } },
    listen: { http: 0, ws: 0, health: 0, rpc: 0, grpc: 0, execution: 0, collector: 0 },
  });
  const taken = new Set<string>();
  const listeners = Object.entries(network.urls).flatMap(([part, urls]) =>
    Object.entries(urls ?? {}).map(([listener, url]) => [`${part} ${listener}`, url] as const),
  );
  expect(new Set(listeners.map(([name]) => name.split(' ')[0]))).toEqual(new Set(network.parts));
  for (const [name, url] of listeners) {
    for (const path of paths) {
      for (const headers of FOREIGN) {
        const body = new URLSearchParams({ 'field.amount': '1' });
        const answer = await fetch(`${url.replace(/^ws/, 'http')}${path}`, { method: 'POST', headers, body });
        if (answer.status !== 403) taken.add(`${name} ${path}`);
      }
    }
  }
  const open = ['/submit_transaction', '/v1/transactions', '/v1/transactions:batch', '/v1/transactions:decode'];
  const rollups = ['counter http', 'messenger http'].flatMap((name) => open.map((path) => `${name} ${path}`));
  expect([...taken].sort()).toEqual([...rollups, 'evm http /', 'evm ws /', 'sequencer rpc /'].sort());
});

// Defect: `/admin` signed requests that an uncounted proxy passed on
test('what a proxy passes on is not signed for, though nothing counts the proxy', async () => {
  await using network = await localNetwork({
    rollups: [withAdminPage],
    listen: { counter: { http: 0 } },
  });
  const { key } = network.accounts.alice;
  const submit = (headers: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ 'field.amount': '1', key });
    return fetch(`${network.urls.counter?.http}/admin/actions/add`, { method: 'POST', body, headers });
  };
  const proxied = await submit({ 'x-forwarded-for': '127.0.0.1' });
  expect([proxied.status, (await submit({})).status]).toEqual([403, 200]);
});
