import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { switchyard } from '../switchyard.ts';
import { type FakeWorld, runWith } from '../testing.ts';

/** `switchyard dev ...` in an empty home. */
function homeWith() {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-home-'));
  const dev = (args: readonly string[], world: FakeWorld = {}) =>
    runWith((cli) => switchyard(cli, ['dev']), ['dev', ...args], {
      ...world,
      env: { SWITCHYARD_HOME: home, ...world.env },
    });
  return { home, dev };
}

test('init prints what it wrote and how to start, and is safe to repeat', async () => {
  const { home, dev } = homeWith();
  const first = await dev(['init', '--instance', 'chat', '--rollup-name', 'parlour']);
  expect(first).toMatchObject({ status: 0, stderr: '' });
  expect(first.stdout.split('\n').slice(0, 2)).toEqual([
    `instance chat in ${home}/chat`,
    '  wrote networks-config.toml',
  ]);
  expect(first.stdout).toMatch(
    /\nStart it with: .*switchyard(\.mjs)? dev run --instance chat\nThen chat on http:\/\/127\.0\.0\.1:3030\n$/,
  );
  const second = await dev(['init', '--instance', 'chat', '--rollup-name', 'other', '--json']);
  expect(JSON.parse(second.stdout)).toMatchObject({
    instance: 'chat',
    written: [],
    ignored: ['--rollup-name other: the instance has parlour and keeps it'],
  });
});

test('the port offset may come from the environment', async () => {
  const { home, dev } = homeWith();
  await dev(['init'], { env: { SWITCHYARD_PORT_OFFSET: '70' } });
  expect(readFileSync(join(home, 'default', 'networks-config.toml'), 'utf8')).toContain('"http://127.0.0.1:26727"');
});

test.each([['run'], ['status'], ['stop'], ['reset', 'state'], ['purge', 'all'], ['setconfig', 'rollupname', 'x']])(
  '%s before init prints how to make the instance',
  async (...command) => {
    const { home, dev } = homeWith();
    expect(await dev([...command, '--instance', 'chat'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `no instance chat in ${home}: make it with \`switchyard dev init --instance chat --home ${home}\`\n`,
    });
  },
);

test('setconfig prints each place it changed, and that the state has to be reset', async () => {
  const { home, dev } = homeWith();
  await dev(['init']);
  writeFileSync(join(home, 'default', 'data', 'rollup'), 'blocks');
  const { stdout } = await dev(['setconfig', 'rollupname', 'parlour']);
  expect(stdout).toBe(
    [
      `${home}/default/networks-config.toml: networks.local.rollup_name: messenger -> parlour`,
      `${home}/default/config/rollup_genesis.json: chain_id: messenger -> parlour`,
      `${home}/default/config/rollup_genesis.json: rollup_name: messenger -> parlour`,
      'The stored state belongs to the old value. Stop the instance if it runs, then:',
      '  switchyard dev reset state',
      '',
    ].join('\n'),
  );
  expect((await dev(['setconfig', 'rollupname', 'parlour'])).stdout).toBe(
    'nothing to change: the value is already set\n',
  );
});

test('setconfig asks for no reset where nothing is stored', async () => {
  const { dev } = homeWith();
  await dev(['init']);
  const { stdout } = await dev(['setconfig', 'sequencerchainid', 'my-chain', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ resetNeeded: false, changes: { length: 4 } });
});

test('reset state asks, and removes what is stored and nothing else', async () => {
  const { home, dev } = homeWith();
  await dev(['init']);
  const data = join(home, 'default', 'data');
  writeFileSync(join(data, 'sequencer'), '12345');
  expect(await dev(['reset', 'state'])).toMatchObject({
    status: 1,
    stderr: `removes ${data}/sequencer (1 file, 5 bytes)\nnot a terminal: repeat with --yes to remove it\n`,
  });
  expect(await dev(['reset', 'state'], { answer: '' })).toMatchObject({ status: 1 });
  expect(existsSync(join(data, 'sequencer'))).toBe(true);
  const confirmed = await dev(['reset', 'state'], { answer: 'y' });
  expect(confirmed.stdout).toBe(`removed ${data}/sequencer (1 file, 5 bytes)\n`);
  expect([existsSync(data), existsSync(join(data, 'sequencer'))]).toEqual([true, false]);
  expect((await dev(['reset', 'state'])).stdout).toBe(`nothing is stored in ${data}\n`);
});

test('purge prints what it removes, and asks', async () => {
  const { home, dev } = homeWith();
  await dev(['init']);
  const instance = join(home, 'default');
  const unattended = await dev(['purge', 'all']);
  expect(unattended.stderr).toMatch(
    /^removes .*default \(11 files, .* KB\)\nnot a terminal: repeat with --yes to remove it\n$/,
  );
  expect(await dev(['purge', 'all'], { answer: 'no' })).toMatchObject({ status: 1 });
  expect(existsSync(instance)).toBe(true);
  expect(await dev(['purge', 'all'], { answer: 'y' })).toMatchObject({ status: 0 });
  expect([existsSync(instance), existsSync(home)]).toEqual([false, true]);
});

test('purge logs leaves everything but the logs', async () => {
  const { home, dev } = homeWith();
  await dev(['init']);
  const log = join(home, 'default', 'logs', 'a.log');
  writeFileSync(log, 'x');
  const { stdout } = await dev(['purge', 'logs', '--yes', '--json']);
  expect(JSON.parse(stdout)).toEqual({ removed: [{ path: log, files: 1, bytes: 1 }] });
  expect(existsSync(join(home, 'default', 'networks-config.toml'))).toBe(true);
});

test('stop of an instance that is not running is no error', async () => {
  const { dev } = homeWith();
  await dev(['init']);
  expect(await dev(['stop'])).toMatchObject({ status: 0, stdout: 'instance default is not running\n' });
});

test('reset config and networks say what they write, ask, and keep a copy', async () => {
  const { home, dev } = homeWith();
  await dev(['init']);
  const base = join(home, 'default', 'config', 'base-config.toml');
  const fresh = readFileSync(base, 'utf8');
  expect((await dev(['reset', 'config'])).stdout).toBe('nothing to reset: it is as new\n');
  writeFileSync(base, `${fresh}mine = "1"\n`);
  expect(await dev(['reset', 'config'])).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `rewrites ${base}, and keeps a copy\nnot a terminal: repeat with --yes to change it\n`,
  });
  expect((await dev(['reset', 'config'], { answer: 'n' })).stderr).toContain('nothing was changed');
  const { stdout } = await dev(['reset', 'config', '--yes', '--json']);
  const { written, backups, resetNeeded } = JSON.parse(stdout);
  expect([written, resetNeeded, readFileSync(base, 'utf8')]).toEqual([[base], false, fresh]);
  expect(readFileSync(backups[0], 'utf8')).toBe(`${fresh}mine = "1"\n`);
  expect((await dev(['reset', 'networks'])).stdout).toBe('nothing to reset: it is as new\n');
});

test("purge all warns of a key of one's own, and never shows it", async () => {
  const { home, dev } = homeWith();
  await dev(['init']);
  const path = join(home, 'default', 'config', 'far_composer_priv_key');
  const key = '11'.repeat(32);
  writeFileSync(path, key);
  const { stderr } = await dev(['purge', 'all'], { answer: 'n' });
  expect(stderr).toMatch(/and with it the key of astria1\w+, .*far_composer_priv_key: copy it first/);
  expect(stderr).not.toContain(key);
});

test('purge binaries removes downloaded programs only', async () => {
  const { home, dev } = homeWith();
  await dev(['init']);
  const bin = join(home, 'default', 'bin');
  mkdirSync(join(bin, 'rollup-v1'), { recursive: true });
  writeFileSync(join(bin, 'rollup-v1', 'rollup'), 'program');
  expect(await dev(['purge', 'binaries', '--yes'])).toMatchObject({
    status: 0,
    stdout: `removed ${bin}/rollup-v1 (1 file, 7 bytes)\n`,
  });
  expect((await dev(['purge', 'binaries', '--yes'])).stdout).toBe('nothing to remove\n');
});

test('config check ends with 1 and prints the fix; config show prints where each value comes from', async () => {
  const { home, dev } = homeWith();
  await dev(['init']);
  expect(await dev(['config', 'check'])).toMatchObject({ status: 0, stdout: 'instance default: configuration OK\n' });
  const { stdout } = await dev(['config', 'show', 'composer']);
  expect(stdout).toMatch(/^\[composer\]\n {2}svc_composer_api_listen_addr +127\.0\.0\.1:50053 +base-config\.toml\n/);
  const all = JSON.parse((await dev(['config', 'show', '--json'])).stdout);
  expect(all.settings[0]).toEqual({ key: 'home', value: home, from: 'environment', place: 'SWITCHYARD_HOME' });

  // With state, the genesis no longer follows the network.
  writeFileSync(join(home, 'default', 'data', 'blocks'), '');
  const networks = join(home, 'default', 'networks-config.toml');
  writeFileSync(
    networks,
    readFileSync(networks, 'utf8').replace('rollup_name = "messenger"', 'rollup_name = "parlour"'),
  );
  const found = await dev(['config', 'check']);
  expect(found).toMatchObject({ status: 1, stderr: 'instance default: 1 error, 0 warnings\n' });
  expect(found.stdout).toContain('    fix: `switchyard dev setconfig rollupname parlour --instance default');
  expect((await dev(['setconfig', 'rollupname', 'parlour'])).status).toBe(0);
  expect((await dev(['config', 'check'])).status).toBe(0);
});
