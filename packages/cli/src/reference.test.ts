import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { alice, bob } from '@switchyard/network/accounts';
import { describe, expect, test } from 'vitest';
import { createCli } from './cli.ts';
import { wholeProgram } from './commands/completion.ts';
import type { Connections } from './connect.ts';
import { checkInstance } from './dev/config/check/check.ts';
import { statusOfSetting } from './dev/config/known-settings.ts';
import { setRollupName } from './dev/config/setconfig.ts';
import { instancePaths } from './dev/instance/home.ts';
import { readInstance } from './dev/instance/instance.ts';
import { planServices } from './dev/services/services.ts';
import { BUILT, scratchInstance } from './dev/testing.ts';
import { ownWords } from './reference-words.ts';
import { rollupCli } from './rollup-cli.ts';
import { asksForJson } from './run.ts';
import { switchyard } from './switchyard.ts';
import { runWith } from './testing.ts';

/*
 * Names of the reference's commands, options, variables and files, each of which works or stands in the page of differences.
 */

const testdata = join(import.meta.dirname, '..', 'testdata', 'reference');
const page = readFileSync(join(import.meta.dirname, '../../../docs/explanation/differences.md'), 'utf8');

/** Lines of a list, with the words of the page behind the bar. */
const formatLines = (file: string) =>
  readFileSync(join(testdata, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): [string, string | undefined] => {
      const [name = '', words] = line.split(' | ');
      return [name, words];
    });

const VALUES: Readonly<Record<string, string>> = {
  ...{ ADDRESS: bob.address, KEY: alice.key, URL: 'http://127.0.0.1:1', FILE: '/no/file' },
};

const nowhere = () => Promise.reject(new Error('no node is asked'));
const none: Connections = {
  ...{ rollup: nowhere, sequencer: nowhere, evm: nowhere },
  composer: nowhere,
  withdrawer: nowhere,
};
const world = { env: {}, directory: '/', stdout: { write() {} }, stderr: { write() {} }, ask: nowhere, onStop() {} };

/** All commands of a program, which do nothing. */
async function inertProgram(name: string): Promise<CommandUnknownOpts> {
  const cli = createCli(world);
  const program =
    name === 'rollup-cli' ? rollupCli(cli, none) : await wholeProgram((args) => switchyard(cli, args, none));
  const makeInert = (command: CommandUnknownOpts): void => {
    if (command.commands.length === 0) command.action(() => {});
    for (const child of command.commands) makeInert(child);
  };
  makeInert(program);
  return program;
}

test.each(formatLines('commands.txt'))('%s', async (line, words) => {
  const [program = '', ...given] = line.split(' ');
  const args = ownWords(given.map((word) => VALUES[word] ?? word));
  expect(asksForJson(args)).toBe(given.includes('--json'));
  const { status, stderr } = await runWith(() => inertProgram(program), args);
  if (words === undefined) return expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(status).toBe(2);
  expect(page).toContain(`\`${words}\``);
});

describe('a variable', async () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('\n');
  const sequencer = {
    ...{ chainId: async () => 'chain-0', height: async () => 120n, allowedFeeAssets: async () => ['nria'] },
    ...{ block: async () => ({}), balances: async () => [] },
  };
  const USUAL = { ROLLUP_NAME: 'cosmic', ROLLUP_GENESIS_ACCOUNTS: `0x${'70'.repeat(20)}:${10n ** 20n}` };
  const EXAMPLES: Readonly<Record<string, string>> = {
    ...{
      ROLLUP_NAME: 'other',
      ROLLUP_GENESIS_ACCOUNTS: `0x${'71'.repeat(20)}:${10n ** 20n}`,
      ROLLUP_NETWORK_ID: '90210',
    },
    ...{ ROLLUP_USE_TTY: 'true', ROLLUP_LOG_LEVEL: 'error', ROLLUP_EXECUTION_COMMIT_LEVEL: 'SoftOnly' },
    ...{ ROLLUP_BRIDGE_ADDRESS: bob.address, ROLLUP_BRIDGE_ALLOWED_ASSET_DENOM: 'utia', ROLLUP_CHAIN_ID: 'other' },
    ...{
      ROLLUP_OVERRIDE_GENESIS_EXTRA_DATA: 'true',
      ROLLUP_SKIP_EMPTY_BLOCKS: 'true',
      ROLLUP_ENABLE_CELESTIA_NODE: 'true',
    },
    ...{
      ROLLUP_SEQUENCER_INITIAL_BLOCK_HEIGHT: '7',
      ROLLUP_SEQUENCER_RPC: 'http://other',
      ROLLUP_SEQUENCER_GRPC: 'http://g',
    },
    ...{
      ROLLUP_SEQUENCER_WEBSOCKET: 'ws://other/websocket',
      ROLLUP_SEQUENCER_CHAIN_ID: 'chain-1',
      ROLLUP_HOSTNAME: 'h.test',
    },
    ...{ ROLLUP_NAMESPACE: 'other' },
  };

  /** The manifest and the notes of `rollup config create` with these variables. */
  async function created(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const directory = mkdtempSync(join(tmpdir(), 'switchyard-reference-'));
    const args = ['rollup', 'config', 'create'];
    const { stderr, status } = await runWith((cli, connect) => switchyard(cli, args, connect), args, {
      ...{ directory, sequencer, env: { ...USUAL, ...env } },
    });
    expect(status).toBe(0);
    return [stderr, ...readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'))];
  }

  const READERS: Readonly<Record<string, (name: string) => Promise<boolean>>> = {
    manifest: async (name) => {
      const [notes, text] = await created({ [name]: EXAMPLES[name] ?? '' });
      const [usualNotes, usualText] = await created({});
      return notes !== usualNotes || text !== usualText;
    },
    command: async (name) => sources.includes(`'${name}'`) || new RegExp(`env\\.${name}\\b`).test(sources),
    // Each of our services reads `ASTRIA_X` for `SVC_X`.
    setting: async (name) => {
      const own = name.replace(/^ASTRIA_/, 'SVC_');
      return ['known', 'ignored'].includes(statusOfSetting(own));
    },
  };

  test.each(formatLines('variables.txt'))('%s', async (line, words) => {
    const [reader = '', name = ''] = line.split(' ');
    const isRead = await READERS[reader]?.(name);
    expect(isRead).toBe(words === undefined);
    if (words !== undefined) expect(page).toContain(`\`${words}\``);
  });

  // Defect: Variables of the reference were ignored without a note, and the asset of a bridge account was lost
  test('the asset of a bridge account stands beside it', async () => {
    const env = { ROLLUP_BRIDGE_ADDRESS: bob.address, ROLLUP_BRIDGE_ALLOWED_ASSET_DENOM: 'utia' };
    expect((await created(env))[1]).toMatch(/bridgeAsset: utia\n/);
  });
});

/** An instance that the reference's tool has made. */
function referenceInstance() {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-reference-'));
  const paths = instancePaths(home, 'default');
  cpSync(join(testdata, 'instance'), paths.directory, { recursive: true });
  for (const file of [paths.networks, paths.base])
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('~/.astria', home));
  for (const [, program = ''] of readFileSync(paths.networks, 'utf8').matchAll(/local_path = "([^"]+)"/g)) {
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  }
  mkdirSync(join(paths.data, '.cometbft', 'config'), { recursive: true });
  cpSync(join(scratchInstance().config), paths.config, { recursive: true, force: false });
  return paths;
}

// Defect: An instance of the reference was refused for want of `sha256`
test.each(['local', 'dusk', 'dawn', 'mainnet'])('an instance of the reference runs: its network %s', (network) => {
  const paths = referenceInstance();
  const found = checkInstance(paths, { env: {}, builtins: BUILT }).map(({ problem }) => problem);
  // True of the reference too: its tutorials have the key replaced, and the asset stands in two files.
  expect(found.filter((problem) => !/published test key|fee_asset contradicts/.test(problem))).toEqual([]);
  const planned = planServices(readInstance(paths, network, {}), {}, BUILT);
  expect(planned.filter(({ command }) => !command.startsWith(paths.bin))).toEqual([]);
  expect(planned.find(({ label }) => label === 'cometbft')?.args).toEqual(
    network === 'local' ? ['node', '--home', join(paths.data, '.cometbft')] : undefined,
  );
});

// Defect: Keys that the reference's tutorial appends made invalid TOML
test('what the tutorial appends takes the place of what is there', () => {
  const paths = scratchInstance();
  for (const [file, appended] of [
    [paths.networks, 'appended-networks.toml'],
    [paths.base, 'appended-base.toml'],
  ] as const)
    writeFileSync(file, readFileSync(file, 'utf8') + readFileSync(join(testdata, appended), 'utf8'));
  setRollupName(paths, { network: 'local', service: undefined, env: {} }, 'astria-chat');
  expect(checkInstance(paths, { env: {}, builtins: BUILT })).toEqual([]);
  const { base, network } = readInstance(paths, 'local', {});
  expect(base).toMatchObject({
    LOG: 'debug',
    DB_FILEPATH: join(paths.data, 'rollup'),
    EXECUTION_GRPC_ADDR: '0.0.0.0:50051',
  });
  expect(network.rollupName).toBe('astria-chat');
  expect(network.services.find(({ label }) => label === 'rollup')?.localPath).toBe('/bin/true');
});
