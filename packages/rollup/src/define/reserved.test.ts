import { expect, test } from 'vitest';
import { GENESIS_KEYS } from '../app/genesis.ts';
import { u64 } from '../schema/scalars.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { announcedUpgrade } from './announce.ts';
import { action, defineRollup, query } from './definition.ts';
import { event } from './events.ts';
import { RESERVED } from './reserved.ts';

const add = action({ fields: { amount: u64 }, execute: () => undefined });
const BRIDGE = { bech32m: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm' };
const GENESIS = JSON.stringify({
  ...{ rollup_name: 'x', sequencer_chain_id: 'sequencer-0', bridge_accounts: [BRIDGE] },
  withdrawals: [{ bridge_account: BRIDGE, asset: 'nria' }],
});

const camel = (name: string) => name.replaceAll(/[-_.]([a-z])/g, (_, letter: string) => letter.toUpperCase());

// Defect: A query named as a route clashed at start, a genesis member silently took the place of one of the framework
test('reserved names are those of the routes and of the genesis of every rollup', async () => {
  const node = await testRollup(defineRollup({ name: 'x', actions: { add }, events: [event('added', {})] }), GENESIS);
  const { paths } = (await node.get('/v1/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  await node.stop();
  const steps = Object.keys(paths).map((path) => camel(path.split(/[/:]/)[2]?.replace('.json', '') ?? ''));
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId = '' }) => /^get([A-Z].*)$/.exec(operationId)?.[1])
    .filter((found) => found !== undefined)
    .map((found) => found.charAt(0).toLowerCase() + found.slice(1));
  expect([...RESERVED.query].sort()).toEqual([...new Set([...steps, ...operations])].sort());
  const members = [...GENESIS_KEYS.map(camel), 'rollup', 'definition'];
  expect([...RESERVED.member].sort()).toEqual(members.sort());
  expect([...RESERVED.table]).toEqual([announcedUpgrade.name]);
});

test.each([...RESERVED.query])('a query cannot have the name %s', (name) => {
  const queries = { [name]: query({ answer: { n: u64 }, handle: () => ({ n: 1n }) }) };
  expect(() => defineRollup({ name: 'x', actions: { add }, queries })).toThrow(
    `rollup "x": query "${name}": is a route of every rollup: choose another name`,
  );
});

test.each([...RESERVED.member])('a member of the genesis cannot have the name %s', (name) => {
  expect(() => defineRollup({ name: 'x', actions: { add }, genesis: { [name]: u64 } })).toThrow(
    `rollup "x": member "${name}": is a member of the genesis of every rollup: choose another name`,
  );
});
