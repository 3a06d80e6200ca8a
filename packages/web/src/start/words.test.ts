import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkFromJson } from './api.ts';
import { stages, stations } from './flow.ts';
import { chains, endpoints, getPages, health, lead, networkTone, toTitle } from './words.ts';

const EVM = { name: 'evm', chainId: 1337, url: 'http://127.0.0.1:8545', height: 7 };
const network = (more: object = {}) =>
  networkFromJson({
    sequencer: { chainId: 'chain-0', rpc: 'http://127.0.0.1:26657', grpc: 'http://127.0.0.1:8080', height: 9 },
    rollup: { name: 'messenger', url: 'http://127.0.0.1:3030', height: 8 },
    ...more,
  });

test('shows the chains that there are, each once', () => {
  const shown = (more: object = {}) => chains(network(more)).map(({ name, state }) => [name, state]);
  expect(shown()).toEqual([
    ['Sequencer chain-0', 'block 9'],
    ['Rollup messenger', 'block 8'],
  ]);
  expect(shown({ evm: EVM })).toEqual([...shown(), ['EVM rollup evm', 'block 7']]);
  expect(shown({ rollup: EVM, evm: EVM }).map(([name]) => name)).toEqual(['Sequencer chain-0', 'EVM rollup evm']);
  expect(shown({ rollup: { name: 'mine' } }).map(([name]) => name)).toEqual(['Sequencer chain-0']);
  expect(endpoints(network({ rollup: EVM, evm: EVM })).map(([use]) => use)).toEqual([
    'Ethereum JSON-RPC',
    'Ethereum chain id',
    'Sequencer RPC',
    'Sequencer gRPC',
  ]);
});

test('soft and firm blocks have their own numbers, with the heights of the layer where there is one', () => {
  const layer = { postedHeight: 8, height: 31, lag: 1 };
  const rollup = { name: 'messenger', url: 'http://127.0.0.1:3030', height: 8, firm: 6, layerHeight: 30 };
  const states = (more: object) => chains(network(more)).map(({ state }) => state);
  expect(states({ layer, rollup, evm: { ...EVM, firm: 7 } })).toEqual([
    'block 9',
    'soft block 8, firm block 6 (layer height 30)',
    'soft block 7, firm block 7',
    'sequencer block 8 posted at layer height 31, 1 behind',
  ]);
  expect(states({ layer: {} })).toEqual(['block 9', 'block 8', '']);
});

test('withdrawals are counted, and what their bridge account lacks is stated', () => {
  const rollup = { name: 'messenger', url: 'http://127.0.0.1:3030', height: 8 };
  const counted = { service: 'withdrawer', rollup: 'messenger', paid: 3, waiting: 1, held: 0 };
  const find = (more: object) =>
    chains(network({ rollup, withdrawals: [{ ...counted, ...more }] })).map(({ name, state }) => [name, state])[2];
  expect(find({})).toEqual(['Withdrawals of messenger', '3 paid, 1 waiting']);
  expect(find({ rollup: undefined, held: 2, missing: '5' })).toEqual([
    'Withdrawals of withdrawer',
    '3 paid, 1 waiting, 2 held; the bridge account holds 5 less than it owes',
  ]);
});

test('each chain is linked to the explorer, where there is one', () => {
  const links = [{ kind: 'explorer', service: 'explorer', url: 'http://127.0.0.1:3033/' }];
  expect(chains(network({ evm: EVM, links })).map(({ url }) => url)).toEqual([
    'http://127.0.0.1:3033/#/',
    'http://127.0.0.1:3033/#/rollups/messenger',
    'http://127.0.0.1:3033/#/rollups/evm',
  ]);
  expect(chains(network()).map(({ url }) => url)).toEqual([undefined, undefined]);
});

test('the health names what is not ready, with its reason', () => {
  const service = (name: string, state: string, reason?: string) => ({ name, state, reason, listens: [] });
  const find = (...services: object[]) => health(network({ services }));
  expect(find(service('a', 'ready'), service('b', 'finished'))).toBe('All 2 services are ready.');
  expect(find(service('a', 'ready'), service('b', 'starting', 'no blocks'), service('c', 'failed'))).toBe(
    'b is starting: no blocks; c is failed',
  );
  const halted = network({ services: [service('a', 'ready')], sequencer: { halt: 'no quorum' } });
  expect(health(halted)).toBe('the sequencer makes no blocks: no quorum');
  const getTone = (...states: string[]) =>
    networkTone(network({ services: states.map((state) => service('a', state)) }));
  expect([getTone('ready', 'finished'), getTone('ready', 'starting'), getTone('starting', 'unhealthy')]).toEqual([
    ...['good', 'warn', 'bad'],
  ]);
  expect(networkTone(halted)).toBe('bad');
});

test('faucets have titles of their own, and an unknown link has the name of its service', () => {
  const link = (kind: string, service: string) => toTitle({ kind, service, url: '' }).title;
  expect([
    link('faucet', 'faucet'),
    link('faucet', 'sequencer-faucet'),
    link('faucet', 'messenger-faucet'),
    link('x', 'mine'),
  ]).toEqual(['Faucet', 'Sequencer faucet', 'Messenger faucet', 'mine']);
});

test('one sentence names the rollups, those of the user too', () => {
  const flow = { rollups: ['messenger', 'evm', 'mine'].map((name) => ({ name })) };
  expect(lead(network({ evm: EVM, flow }))).toBe(
    'One sequencer orders transactions for 3 rollups: messenger (a chat), evm (an Ethereum chain), and mine.',
  );
  expect(lead(network({ rollup: EVM, evm: EVM }))).toBe(
    'One sequencer orders transactions for one rollup: evm (an Ethereum chain).',
  );
  expect(lead(network({ rollup: { name: 'mine' } }))).toBe('One sequencer orders transactions for no rollup yet.');
});

test('pages are in the order in which they are wanted', () => {
  const url = 'http://127.0.0.1/';
  const links = ['x', 'api', 'faucet', 'explorer', 'chat'].map((kind) => ({ kind, service: kind, url }));
  const kinds = getPages(network({ links: [...links, { kind: 'chat', url: 'javascript:0' }] })).map(({ kind }) => kind);
  expect(kinds).toEqual(['chat', 'explorer', 'faucet', 'api', 'x']);
});

test('only URLs that a browser may open become links, and no answer breaks the page', () => {
  const links = ['javascript:alert(1)', 'data:text/html,x', 'http://127.0.0.1/', 5].map((url) => ({
    kind: 'chat',
    url,
  }));
  expect(network({ links }).links.map(({ url }) => url)).toEqual(['', '', 'http://127.0.0.1/', '']);
  const lists = fc.record({
    ...{ services: fc.jsonValue(), links: fc.jsonValue(), accounts: fc.jsonValue(), withdrawals: fc.jsonValue() },
  });
  fc.assert(
    fc.property(lists, (more) => {
      const read = network({ ...more, flow: { rollups: more.accounts, last: more.links } });
      chains(read);
      endpoints(read);
      health(read);
      lead(read);
      stations(read);
      if (read.flow?.last !== undefined) stages(read.flow.last);
    }),
    { numRuns: 50 },
  );
});
