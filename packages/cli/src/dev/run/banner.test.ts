import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alice, bob, carol, dave } from '@switchyard/network/accounts';
import { evmAccounts } from '@switchyard/network/evm-accounts';
import { expect, test } from 'vitest';
import type { Overview } from '../status/network.ts';
import { banner, commandsToTry } from './banner.ts';
import { programsFor } from './programs.ts';

const overview: Overview = {
  instance: 'default',
  directory: '/home/me/.switchyard/default',
  network: 'local',
  pid: 1,
  sequencer: { chainId: 'chain-0', rpc: 'http://127.0.0.1:26657', grpc: 'http://127.0.0.1:8080', height: 4 },
  rollup: { name: 'messenger', url: 'http://127.0.0.1:3030', height: 3 },
  services: [
    {
      name: 'rollup',
      version: 'v0.1.0',
      pid: 17,
      state: 'ready',
      listens: [
        { use: 'HTTP', url: 'http://127.0.0.1:3030', port: 3030 },
        { use: 'execution gRPC', url: 'http://127.0.0.1:50051', port: 50051 },
      ],
    },
  ],
};
const programs = { switchyard: 'npx switchyard', rollupCli: 'npx rollup-cli' };

test('tells what runs where, who has money, and what to type', () => {
  const text = banner(overview, programs).join('\n');
  for (const part of [
    '  rollup  v0.1.0  pid 17  http://127.0.0.1:3030   HTTP',
    '                          http://127.0.0.1:50051  execution gRPC',
    'rollup messenger: block 3    sequencer chain-0: block 4',
    'PUBLIC TEST KEYS, never for real funds',
    ...[alice, bob, carol].flatMap(({ name, address, key }) => [name, address, key]),
    `  npx rollup-cli submit text "hello" alice --private-key ${alice.key}`,
  ]) {
    expect(text).toContain(part);
  }
});

const evm = {
  name: 'evm',
  chainId: 1337,
  url: 'http://127.0.0.1:9545',
  ws: 'ws://127.0.0.1:9546',
  faucet: 'http://127.0.0.1:4031',
  height: 5,
};

test('of an EVM rollup tells the endpoints, the ten accounts, and commands for any Ethereum user', () => {
  const alone = { ...overview, rollup: { name: 'evm', url: evm.url, height: 5 }, evm };
  const text = banner(alone, programs).join('\n');
  const [first, second] = evmAccounts;
  for (const part of [
    '  EVM rollup evm: block 5    sequencer chain-0: block 4',
    '  JSON-RPC   http://127.0.0.1:9545',
    '  websocket  ws://127.0.0.1:9546',
    '  chain id   1337',
    '  faucet     http://127.0.0.1:4031',
    ...evmAccounts.map(({ address, key }) => `  ${address}  0x${key}`),
    dave.key,
    `cast send --rpc-url http://127.0.0.1:9545 --private-key 0x${first?.key} --value 1ether ${second?.address}`,
  ]) {
    expect(text).toContain(part);
  }
  for (const absent of ['rollup-cli', carol.name]) expect(text).not.toContain(absent);
  const both = banner({ ...overview, evm }, programs).join('\n');
  for (const part of [
    'rollup messenger: block 3    EVM rollup evm: block 5',
    'npx rollup-cli',
    'cast send',
    carol.key,
  ]) {
    expect(both).toContain(part);
  }
});

test('without a rollup of ours the commands are of the sequencer', () => {
  const { url: _, ...rollup } = overview.rollup;
  const text = banner({ ...overview, instance: 'bare', rollup }, programs).join('\n');
  expect(text).toContain(`npx switchyard sequencer balance get ${alice.address}\n`);
  expect(text).toContain('npx switchyard dev init --template messenger --instance bare ');
  for (const absent of ['rollup-cli', 'cast', 'rollup messenger', bob.key]) expect(text).not.toContain(absent);
});

test('metrics take one line', () => {
  const metrics = { use: 'metrics', url: 'http://127.0.0.1:9003', port: 9003 };
  const services = overview.services.map((service) => ({ ...service, listens: [...service.listens, metrics] }));
  const lines = banner({ ...overview, services }, programs).filter((line) => line.includes('9003'));
  expect(lines).toEqual(['Metrics for Prometheus: http://127.0.0.1:PORT/metrics with port 9003']);
});

test('commands name the URL only where it is not the usual one', () => {
  expect(commandsToTry(overview, programs)).toHaveLength(3);
  expect(commandsToTry(overview, programs).join()).not.toContain('--rollup-url');
  const shifted = { ...overview, rollup: { name: 'messenger', url: 'http://127.0.0.1:4030' } };
  for (const command of commandsToTry(shifted, programs))
    expect(command).toMatch(/ --rollup-url http:\/\/127\.0\.0\.1:4030$/);
});

test('commands are called the way this user can call them', () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-path-'));
  const bin = join(directory, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  expect(programsFor({ PATH: bin }, directory).rollupCli).toMatch(/^node \/.*\/bin\/rollup-cli\.mjs$/);
  writeFileSync(join(bin, 'rollup-cli'), '');
  expect(programsFor({ PATH: `${bin}:/nowhere` }, directory).rollupCli).toBe('npx rollup-cli');
  writeFileSync(join(directory, 'rollup-cli'), '');
  expect(programsFor({ PATH: directory }, directory).rollupCli).toBe('rollup-cli');
});
