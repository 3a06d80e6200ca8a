import { expect, test } from 'vitest';
import { memberFromLabel, type Stated } from './network.ts';
import { planNetwork } from './plan.ts';
import { USUAL_PORTS } from './ports.ts';
import { settingsFor } from './process.ts';
import { PROGRAMS } from './programs.ts';
import { testNetwork } from './testing.ts';
import { type Followed, settingsIn } from './values.ts';

const ALL = [
  ...['sequencer', 'composer', 'da', 'relayer', 'conductor', 'rollup', 'messenger-faucet'],
  ...['evm', 'evm-conductor', 'faucet', 'sequencer-faucet', 'explorer'],
];
const nothing: Stated = () => undefined;
const getSettings = (label: string, labels: readonly string[] = ALL, stated = nothing) =>
  settingsIn(planNetwork(testNetwork(...labels), stated).get(label) ?? []);

test('a setting that follows from another process has to be stated wherever the program runs', () => {
  // @ts-expect-error: the chain and the fee asset of the sequencer are missing.
  const entries = settingsFor(PROGRAMS.composer, { sequencerAbciEndpoint: 'a', sequencerGrpcEndpoint: 'b' });
  expect(entries.map(([field]) => field)).not.toContain(PROGRAMS.composer.fields.feeAsset);
});

test.each([
  ['sequencer-2', { program: 'sequencer', node: 2 }],
  ['rollup', { program: 'messenger', kind: undefined }],
  ['evm-conductor', { program: 'conductor', kind: 'second' }],
  ['games-withdrawer-2', { program: 'withdrawer', rollup: 'games' }],
  ['sequencer-faucet', { program: 'faucet', kind: 'sequencer' }],
  ['cometbft-0', { program: undefined, isBuiltin: false }],
])('the label %s of a file names a program and its place', (label, member) => {
  expect(memberFromLabel(label)).toMatchObject(member);
});

test('conductors feed the rollups in the order of the file', () => {
  const urls = ['conductor', 'evm-conductor'].map((label) => getSettings(label).SVC_CONDUCTOR_EXECUTION_RPC_URL);
  expect(urls).toEqual(['http://127.0.0.1:50051', 'http://127.0.0.1:50055']);
});

test('an address that a file states is the one at which all others call', () => {
  const collector: Followed = { value: '0.0.0.0:7000', from: { file: 'base.toml', key: 'svc_composer_grpc_addr' } };
  const stated: Stated = ({ label }, field) =>
    label === 'composer' && field === PROGRAMS.composer.fields.grpcAddr ? collector : undefined;
  const find = (label: string) => getSettings(label, ALL, stated);
  expect([find('rollup').COMPOSER_ADDR, find('evm').SVC_EVM_COMPOSER_ADDR]).toEqual([
    'http://127.0.0.1:7000',
    'http://127.0.0.1:7000',
  ]);
  const entries = planNetwork(testNetwork(...ALL), stated).get('rollup') ?? [];
  expect(entries.find(([field]) => field === PROGRAMS.messenger.fields.composerAddr)?.[1]).toEqual({
    value: 'http://127.0.0.1:7000',
    from: collector.from,
    differs: 'error',
  });
});

test('no two processes of a network listen on one port', () => {
  const ports = ALL.flatMap((label) =>
    Object.entries(getSettings(label)).flatMap(([name, value]) => (/_ADDR$/.test(name) ? [value] : [])),
  )
    .filter((value) => /^127\.0\.0\.1:\d+$/.test(value))
    .map((value) => Number(value.split(':')[1]));
  expect(ports.length).toBeGreaterThan(25);
  expect(new Set(ports).size).toBe(ports.length);
  expect(ports.filter((port) => !USUAL_PORTS.includes(port))).toEqual([]);
});

test('with the local layer blocks are firm once they were read there, and without one when they are signed', () => {
  expect(getSettings('conductor')).toMatchObject({
    SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm',
    SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: 'http://127.0.0.1:26651',
  });
  const without = getSettings('conductor', ['sequencer', 'composer', 'conductor', 'rollup']);
  expect(without.SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL).toBe('SoftIsFirm');
  expect(without).not.toHaveProperty('SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL');
});

test('pages lead to an explorer that is started', () => {
  const stated: Stated = ({ label }, field) =>
    label === 'explorer' && field === PROGRAMS.explorer.fields.enabled
      ? { value: 'false', from: { file: 'base.toml', key: 'svc_explorer_enabled' } }
      : undefined;
  expect(getSettings('rollup').EXPLORER_URL).toBe('http://127.0.0.1:3033');
  expect(getSettings('rollup', ALL, stated)).not.toHaveProperty('EXPLORER_URL');
});

test('a network that runs here signs with published accounts, and one elsewhere does not', () => {
  const remote = planNetwork({ ...testNetwork('composer', 'conductor', 'evm'), kind: 'remote' }, nothing);
  expect(getSettings('evm').SVC_EVM_DEV_ACCOUNTS).toBe('true');
  expect(settingsIn(remote.get('evm') ?? [])).not.toHaveProperty('SVC_EVM_DEV_ACCOUNTS');
});

test('every process with a page knows all pages of its network, as browsers reach them', () => {
  const pages = [
    'network=local,start=http://127.0.0.1:3000,chat=http://127.0.0.1:3030,api=http://127.0.0.1:3030/docs',
    'explorer=http://127.0.0.1:3033,faucet Messenger faucet=http://127.0.0.1:3034,faucet=http://127.0.0.1:3031',
    'faucet Sequencer faucet=http://127.0.0.1:3032',
  ].join(',');
  const plan = planNetwork({ ...testNetwork(...ALL), startPage: '127.0.0.1:3000' }, nothing);
  const withPages = ALL.filter((label) => settingsIn(plan.get(label) ?? []).SWITCHYARD_PAGES === pages);
  expect(settingsIn(plan.get('rollup') ?? []).SWITCHYARD_PAGES).toBe(pages);
  expect(withPages).toEqual(['rollup', 'messenger-faucet', 'faucet', 'sequencer-faucet', 'explorer']);
});
