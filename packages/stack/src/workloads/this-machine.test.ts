import { expect, test } from 'vitest';
import { readManifest } from '../manifest/read.ts';
import { problemsOnThisMachine } from './workloads.ts';

const formatLines = (extra = '', sequencer = 'chainId: main, ') =>
  problemsOnThisMachine(
    readManifest(`config:
  rollup: { name: cosmic, genesisAccounts: [{ address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' }] }
  sequencer: { ${sequencer}initialBlockHeight: '42', rpc: 'http://127.0.0.1:26657' }
${extra}`).manifest,
  ).map(({ path, message }) => `${path}: ${message}`);

test('a sequencer on this machine is fine', () => {
  expect(formatLines()).toEqual([]);
});

test.each([
  ['explorer: { kind: blockscout }', /^explorer\.kind: expected switchyard; Blockscout/],
  ['explorer: { postgresSecret: db }', /^explorer\.postgresSecret: expected nothing: Secrets are of clusters, got db$/],
  ['da-node: { config: { network: mocha-5 } }', /^da-node\.kind: expected external or local: .*, got light$/],
])('refuses %s, which it does not run', (extra, line) => {
  expect(formatLines(extra)).toEqual([expect.stringMatching(line)]);
});

test('needs the chain id of the sequencer', () => {
  expect(formatLines('', '')).toEqual([
    'config.sequencer.chainId: expected the chain id of the sequencer, got nothing',
  ]);
});
