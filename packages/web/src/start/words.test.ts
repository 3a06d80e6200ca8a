import { Input } from '@switchyard/client/http-api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readNetwork } from './api.ts';
import { stages, stations } from './flow.ts';
import { endpoints, health, lead, networkTone, withdrawals } from './words.ts';

const networkFromJson = (value: unknown) => readNetwork(new Input(value, 'network'));

const EVM = { name: 'evm', chainId: 1337, url: 'http://127.0.0.1:8545', height: 7 };
const network = (more: object = {}) =>
  networkFromJson({
    sequencer: { chainId: 'chain-0', rpc: 'http://127.0.0.1:26657', grpc: 'http://127.0.0.1:8080', height: 9 },
    rollup: { name: 'messenger', url: 'http://127.0.0.1:3030', height: 8 },
    ...more,
  });

test('endpoints are those of the rollups that there are', () => {
  expect(endpoints(network({ rollup: EVM, evm: EVM })).map(([use]) => use)).toEqual([
    'Ethereum JSON-RPC',
    'Ethereum chain id',
    'Sequencer chain id',
    'Sequencer RPC',
    'Sequencer gRPC',
  ]);
});

test('withdrawals are counted, and what their bridge account lacks is stated', () => {
  const counted = { service: 'withdrawer', rollup: 'messenger', paid: 3, waiting: 1, held: 0 };
  const find = (more: object) => withdrawals(network({ withdrawals: [{ ...counted, ...more }] }));
  expect(find({})).toEqual([['messenger', '3 paid, 1 waiting']]);
  expect(find({ rollup: undefined, held: 2, missing: '5' })).toEqual([
    ['withdrawer', '3 paid, 1 waiting, 2 held; the bridge account holds 5 less than it owes'],
  ]);
});

test('one line has the health of all services and the heights', () => {
  const services = ['ready', 'finished'].map((state) => ({ name: 'a', state, listens: [] }));
  const layer = { postedHeight: 1_208 };
  const problem = { what: 'b is starting', command: 'x' };
  expect(health(network({ services }))).toBe('All 2 services are ready · sequencer at block 9');
  expect(health(network({ services, layer, sequencer: { height: 1_209 } }))).toBe(
    'All 2 services are ready · sequencer at block 1,209 · posted up to block 1,208',
  );
  expect(health(network({ services, problems: [problem], sequencer: {} }))).toBe('One problem');
  expect(health(network({ services, problems: [problem, problem], sequencer: {} }))).toBe('2 problems');
});

test('the tone is that of the worst service', () => {
  const getTone = (...states: string[]) =>
    networkTone(network({ services: states.map((state) => ({ name: 'a', state, listens: [] })) }));
  expect([getTone('ready', 'finished'), getTone('ready', 'starting'), getTone('starting', 'unhealthy')]).toEqual([
    ...['good', 'warn', 'bad'],
  ]);
  expect(networkTone(network({ sequencer: { halt: 'no quorum' } }))).toBe('bad');
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

test('only URLs that a browser may open become links, and no answer breaks the page', () => {
  const links = ['javascript:alert(1)', 'data:text/html,x', 'http://127.0.0.1/', 5].map((url) => ({
    kind: 'chat',
    url,
  }));
  expect(network({ links }).links.map(({ url }) => url)).toEqual(['', '', 'http://127.0.0.1/', '']);
  const lists = fc.record({
    ...{
      services: fc.jsonValue(),
      links: fc.jsonValue(),
      accounts: fc.jsonValue(),
      withdrawals: fc.jsonValue(),
      problems: fc.jsonValue(),
    },
  });
  fc.assert(
    fc.property(lists, (more) => {
      const read = network({ ...more, flow: { rollups: more.accounts, last: more.links } });
      endpoints(read);
      health(read);
      lead(read);
      withdrawals(read);
      stations(read);
      if (read.flow?.last !== undefined) stages(read.flow.last);
    }),
    { numRuns: 50 },
  );
});
