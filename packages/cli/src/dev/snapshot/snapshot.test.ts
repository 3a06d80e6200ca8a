import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setRollupName } from '../config/setconfig.ts';
import type { InstancePaths } from '../instance/home.ts';
import { currentRun, holdInstance } from '../instance/run-file.ts';
import { resetState } from '../state/remove.ts';
import { scratchInstance } from '../testing.ts';
import { listSnapshots, removeSnapshot } from './list.ts';
import { getSnapshots } from './manifest.ts';
import type { ConnectTool, Pausable } from './quiet.ts';
import { type RestoreOptions, restoreSnapshot } from './restore.ts';
import { type SaveOptions, saveSnapshot } from './save.ts';

const live = new AbortController().signal;
const noTool: ConnectTool = async () => undefined;

/** An instance with some state, and the two operations with their usual options. */
function network() {
  const paths = scratchInstance();
  const state = join(paths.data, 'sequencer', 'blocks');
  mkdirSync(join(paths.data, 'sequencer'));
  writeFileSync(state, 'one');
  const notices: string[] = [];
  const onNotice = (line: string) => notices.push(line);
  const shared = { paths, env: {}, connect: noTool, signal: live, onNotice };
  return {
    paths,
    notices,
    blocks: () => readFileSync(state, 'utf8'),
    write: (text: string) => writeFileSync(state, text),
    save: (name: string, options: Partial<SaveOptions> = {}) =>
      saveSnapshot({ ...shared, name, network: 'local', replace: false, ...options }),
    restore: (name: string, options: Partial<RestoreOptions> = {}) =>
      restoreSnapshot({ ...shared, name, force: false, settings: false, ...options }),
  };
}

/** Entries of the instance directory that do not belong there. */
const strange = ({ directory }: InstancePaths) =>
  readdirSync(directory).filter(
    (name) => !['networks-config.toml', 'config', 'data', 'logs', 'snapshots'].includes(name),
  );

test('a saved state comes back, with its genesis and keys, and nothing else is left', async () => {
  const { paths, save, restore, write, blocks } = network();
  const { manifest, directory, pausedMs } = await save('before');
  expect(manifest).toMatchObject({
    format: 1,
    name: 'before',
    network: 'local',
    chainId: 'sequencer-test-chain-0',
    rollupName: 'messenger',
    heights: {},
    services: [
      { name: 'sequencer' },
      { name: 'composer' },
      { name: 'conductor' },
      { name: 'rollup' },
      { name: 'withdrawer' },
      { name: 'messenger-faucet' },
      { name: 'explorer' },
    ],
  });
  expect(manifest.files.map(({ path, mode }) => [path, mode.toString(8)])).toEqual([
    ['networks-config.toml', '644'],
    ['config/base-config.toml', '644'],
    ['config/composer_dev_priv_key', '600'],
    ['config/composer_secret', '600'],
    ['config/execution_secret', '600'],
    ['config/genesis.json', '644'],
    ['config/messenger_faucet_dev_priv_key', '600'],
    ['config/priv_validator_key.json', '600'],
    ['config/rollup_genesis.json', '644'],
    ['config/withdrawer_dev_priv_key', '600'],
    ['data/sequencer/blocks', '644'],
  ]);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(pausedMs).toBe(0);

  const key = readFileSync(paths.validatorKey, 'utf8');
  write('two');
  writeFileSync(join(paths.data, 'later'), 'made after the snapshot');
  rmSync(paths.validatorKey);
  await restore('before');
  expect([blocks(), existsSync(join(paths.data, 'later'))]).toEqual(['one', false]);
  expect(readFileSync(paths.validatorKey, 'utf8')).toBe(key);
  expect(statSync(paths.validatorKey).mode & 0o777).toBe(0o600);
  expect(strange(paths)).toEqual([]);
  // The snapshot is a copy: it can be restored again.
  write('three');
  await restore('before');
  expect(blocks()).toBe('one');
});

test('settings edited since stay as they are, unless asked for', async () => {
  const { paths, save, restore } = network();
  await save('before');
  appendFileSync(paths.base, 'my_setting = "1"\n');
  expect((await restore('before')).settingsKept).toEqual(['config/base-config.toml']);
  expect(readFileSync(paths.base, 'utf8')).toContain('my_setting');
  expect((await restore('before', { settings: true })).settingsKept).toEqual([]);
  expect(readFileSync(paths.base, 'utf8')).not.toContain('my_setting');
});

test('a snapshot of another rollup is refused, and with force comes with its settings', async () => {
  const { paths, save, restore, write, blocks } = network();
  await save('before');
  setRollupName(paths, 'local', 'parlour');
  write('two');
  await expect(restore('before')).rejects.toThrow(
    'snapshot before is of chain sequencer-test-chain-0 and rollup messenger, instance test is set up for sequencer-test-chain-0 and parlour: --force restores it together with its settings',
  );
  expect(blocks()).toBe('two');
  await restore('before', { force: true });
  expect(blocks()).toBe('one');
  expect(readFileSync(paths.networks, 'utf8')).toContain('rollup_name = "messenger"');
});

test('a name is taken once; force replaces it', async () => {
  const { paths, save, restore, write, blocks } = network();
  await save('a');
  write('two');
  await expect(save('a')).rejects.toThrow('snapshot a exists: choose another name, or replace it with --force');
  await save('a', { replace: true });
  write('three');
  await restore('a');
  expect(blocks()).toBe('two');
  expect(readdirSync(getSnapshots(paths))).toEqual(['a']);
});

test.each(['', '../x', '.hidden', 'a/b', 'a b', 'x'.repeat(51)])('%j cannot be a name', async (name) => {
  const { save, restore } = network();
  await expect(save(name)).rejects.toThrow('snapshot name: expected letters, digits');
  await expect(restore(name)).rejects.toThrow('snapshot name: expected letters, digits');
});

test('an unknown name is answered with the nearest', async () => {
  const { save, restore } = network();
  await save('before-upgrade');
  await expect(restore('before-upgrad')).rejects.toThrow(
    'no snapshot before-upgrad of instance test, there is before-upgrade; did you mean "before-upgrade"?',
  );
});

test('a snapshot that was changed or lacks a file is not restored', async () => {
  const { save, restore, write, blocks, paths } = network();
  const { directory } = await save('a');
  write('two');
  const file = join(directory, 'data', 'sequencer', 'blocks');
  writeFileSync(file, 'One');
  await expect(restore('a')).rejects.toThrow(`${file}: was changed since it was saved`);
  rmSync(file);
  await expect(restore('a')).rejects.toThrow(`${file}: is absent`);
  expect([blocks(), strange(paths)]).toEqual(['two', []]);
});

test.each([
  ['{"format": 2}', 'a newer version of Switchyard made it'],
  ['{"format": 1}', 'not a manifest of format 1'],
  ['nonsense', 'not valid JSON'],
])('a manifest of %j is refused', async (text, message) => {
  const { save, restore, paths } = network();
  const { directory } = await save('a');
  writeFileSync(join(directory, 'manifest.json'), text);
  await expect(restore('a')).rejects.toThrow(message);
  expect(listSnapshots(paths)).toMatchObject([{ name: 'a', problem: expect.stringContaining(message) }]);
});

test('a manifest cannot reach outside of the instance', async () => {
  const { save, restore } = network();
  const { directory, manifest } = await save('a');
  const link = { ...manifest, links: [{ path: 'data/../../x', target: '/' }] };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(link));
  await expect(restore('a')).rejects.toThrow('"data/../../x" is outside of the instance');
});

test('state that is kept elsewhere is named, since the snapshot would lack it', async () => {
  const { paths, save } = network();
  const text = readFileSync(paths.base, 'utf8');
  writeFileSync(paths.base, text.replace('$SWITCHYARD_INSTANCE/data/rollup', '/var/lib/rollup'));
  await expect(save('a')).rejects.toThrow(
    `${paths.base}: db_filepath = /var/lib/rollup is outside of ${paths.data}: a snapshot would lack that state`,
  );
});

/** A running instance, as far as files tell: this process holds it. Its tool notes its requests. */
async function running(paths: InstancePaths, calls: string[], tool: Partial<Pausable> = {}) {
  const hold = await holdInstance(paths, 'local');
  const connect: ConnectTool = async () => ({
    pause: async () => void calls.push('pause'),
    resume: async () => void calls.push('resume'),
    status: async () => ({ services: [{ name: 'rollup', state: 'ready', reason: undefined }] }),
    ...tool,
  });
  return { connect, hold };
}

test('a running network is paused for the copy and for the change, and runs again', async () => {
  const { paths, save, restore, write, blocks } = network();
  const calls: string[] = [];
  const { connect, hold } = await running(paths, calls);
  await save('a', { connect });
  expect(calls.splice(0)).toEqual(['pause', 'resume']);
  write('two');
  await restore('a', { connect });
  expect(calls).toEqual(['pause', 'resume']);
  expect([blocks(), currentRun(paths)?.network]).toEqual(['one', 'local']);
  hold.release();
});

test('a save that fails resumes the network and leaves nothing behind', async () => {
  const { paths, save } = network();
  const calls: string[] = [];
  const abort = new AbortController();
  const pause = async () => {
    calls.push('pause');
    abort.abort(new Error('ended by SIGINT'));
  };
  const { connect, hold } = await running(paths, calls, { pause });
  await expect(save('a', { connect, signal: abort.signal })).rejects.toThrow('ended by SIGINT');
  expect(calls).toEqual(['pause', 'resume']);
  expect(readdirSync(getSnapshots(paths))).toEqual([]);
  hold.release();
});

test('a restore whose network does not come back names where the state before it is', async () => {
  const { paths, save, restore, write, blocks } = network();
  await save('a');
  write('two');
  const resume = async () => {
    throw new Error('rollup failed');
  };
  const { connect, hold } = await running(paths, [], { resume });
  const error: unknown = await restore('a', { connect }).catch((reason: unknown) => reason);
  const [, kept = ''] =
    /^Failure: snapshot a is restored, but the services did not start again: rollup failed; the state before it is in (.+)$/.exec(
      String(error),
    ) ?? [];
  expect(blocks()).toBe('one');
  const stored = readdirSync(kept).map((name) => join(kept, name, 'sequencer', 'blocks'));
  expect(stored.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'))).toEqual(['two']);
  hold.release();
});

test('waits until what was ready before is so again, and reports what fails', async () => {
  const { paths, save } = network();
  const states = ['ready', 'starting', 'starting', 'ready', 'ready', 'failed'] as const;
  let wanted = 0;
  const status = async () => {
    const state = states[wanted] ?? 'failed';
    wanted += 1;
    return {
      services: [
        { name: 'rollup', state, reason: 'its data is damaged' },
        { name: 'never', state: 'failed' as const, reason: undefined },
      ],
    };
  };
  const { connect, hold } = await running(paths, [], { status });
  await save('a', { connect });
  expect(wanted).toBe(4);
  await expect(save('b', { connect })).rejects.toThrow(
    'snapshot b is saved, but the services did not start again: rollup failed: its data is damaged',
  );
  expect(listSnapshots(paths).map(({ name, problem }) => [name, problem])).toEqual([
    ['a', undefined],
    ['b', undefined],
  ]);
  hold.release();
});

test('a running tool that accepts no commands is not disturbed', async () => {
  const { paths, save } = network();
  const { hold } = await running(paths, []);
  await expect(save('a')).rejects.toThrow(`instance test runs (process ${process.pid}) and accepts no commands`);
  hold.release();
});

test('what killed commands left is cleaned up by the next one', async () => {
  const { paths, save, write, blocks, notices } = network();
  await save('a');
  write('two');
  const gone = 2 ** 22 + 7;
  const aside = join(paths.directory, `.restore-${gone}`, 'aside');
  const next = join(paths.directory, `.restore-${gone}`, 'next');
  mkdirSync(join(next, 'data'), { recursive: true });
  mkdirSync(aside);
  // Killed when the old state was aside and the new one not yet in place.
  writeFileSync(
    join(aside, 'journal.json'),
    JSON.stringify([{ present: paths.data, next: join(next, 'data'), existed: true }]),
  );
  renameSync(paths.data, join(aside, '0'));
  mkdirSync(join(getSnapshots(paths), `.half.new-${gone}`));
  renameSync(join(getSnapshots(paths), 'a'), join(getSnapshots(paths), `.a.old-${gone}`));

  await save('b');
  expect(blocks()).toBe('two');
  expect(notices).toEqual([`a restore was cut short (.restore-${gone}): the state before it is back`]);
  expect(readdirSync(getSnapshots(paths)).sort()).toEqual(['a', 'b']);
  expect(strange(paths)).toEqual([]);
});

test('a reset of the state leaves snapshots; one of another version is restored, with a notice', async () => {
  const { paths, save, restore, blocks, notices } = network();
  const { directory, manifest } = await save('a');
  resetState(paths);
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ ...manifest, version: '0.0.1' }));
  await restore('a');
  expect(blocks()).toBe('one');
  expect(notices).toEqual([expect.stringMatching(/^Switchyard 0\.0\.1 made this snapshot, this is /)]);
});

test('lists the oldest first, and removes one', async () => {
  const { paths, save } = network();
  await save('z');
  await save('a');
  expect(listSnapshots(paths).map(({ name, manifest }) => [name, manifest?.fileCount])).toEqual([
    ['z', 11],
    ['a', 11],
  ]);
  removeSnapshot(paths, 'z');
  expect(listSnapshots(paths).map(({ name }) => name)).toEqual(['a']);
});
