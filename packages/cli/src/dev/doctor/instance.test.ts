import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { findMark } from '@switchyard/network/supervisor/processes';
import { wallClock } from '@switchyard/service';
import { expect, test } from 'vitest';
import { doctorCommand } from '../../commands/dev/doctor.ts';
import { runWith } from '../../testing.ts';
import type { InstancePaths } from '../instance/home.ts';
import { holdInstance } from '../instance/run-file.ts';
import { scratchInstance, scratchPaths } from '../testing.ts';
import { checkBlockTime, checkStored, instanceFindings } from './instance.ts';

/** An instance whose only service is a program of the user's, so that nothing has to be built. */
function withProgram(): { paths: InstancePaths; program: string } {
  const paths = scratchInstance();
  const program = join(paths.home, 'rollup');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const [head = ''] = readFileSync(paths.networks, 'utf8').split(/^\[networks\.local\.services/m);
  writeFileSync(
    paths.networks,
    `${head}[networks.local.services.rollup]\nlocal_path = ${JSON.stringify(program)}\nversion = "v7"\n`,
  );
  return { paths, program };
}

async function getFindings(paths: InstancePaths) {
  const findings = await instanceFindings(paths, 'local', {});
  return { all: findings, of: (check: string) => findings.filter((finding) => finding.check === check) };
}

test('an instance as init makes it is well', async () => {
  const { all, of: item } = await getFindings(withProgram().paths);
  // This one has no conductor, which is noticed.
  expect(all.filter(({ level, check }) => level !== 'ok' && check !== 'agreement')).toEqual([]);
  expect(item('programs')[0]?.text).toMatch(/^rollup: .*\/rollup, version v7$/);
});

test('inconsistencies between the files are reported', async () => {
  const { paths } = withProgram();
  const text = readFileSync(paths.rollupGenesis, 'utf8');
  writeFileSync(paths.rollupGenesis, text.replace('"messenger"', '"parlour"'));
  expect((await getFindings(paths)).of('agreement')).toContainEqual(
    expect.objectContaining({ level: 'fail', text: expect.stringContaining('parlour') }),
  );
});

test('without an instance prints how to make one, which is no failure', async () => {
  const paths = scratchPaths();
  expect((await getFindings(paths)).all).toEqual([
    {
      check: 'instance',
      level: 'warn',
      text: `there is no test in ${paths.home}`,
      advice: `make it with \`switchyard dev init --instance test --home ${paths.home}\``,
    },
  ]);
});

test('a program that is absent or not executable is named, with what to do', async () => {
  const { paths, program } = withProgram();
  chmodSync(program, 0o644);
  const where = `${paths.networks}: networks.local.services.rollup.local_path`;
  expect((await getFindings(paths)).of('programs')).toEqual([
    {
      check: 'programs',
      level: 'fail',
      text: `${where}: ${program} is not executable: \`chmod +x ${program}\``,
      advice: `correct the program, or this entry of ${paths.networks}`,
    },
  ]);
  rmSync(program);
  expect((await getFindings(paths)).of('programs')).toMatchObject([{ level: 'fail' }]);
});

// Defect: `dev doctor` ignored programs that options or variables of `dev run` named
test('programs that options name are checked in place of those of the files, and those of a run before all others', async () => {
  const { paths, program } = withProgram();
  const other = join(paths.home, 'other');
  renameSync(program, other);
  const given = await instanceFindings(paths, 'local', {}, { programs: { rollup: 'other' }, directory: paths.home });
  expect(given.filter(({ level }) => level === 'fail')).toEqual([]);
  expect((await getFindings(paths)).of('programs')).toMatchObject([{ level: 'fail' }]);
  const hold = await holdInstance(paths, 'local');
  hold.note([], { programs: { rollup: other } });
  try {
    const { all, of: item } = await getFindings(paths);
    expect(all.filter(({ level }) => level === 'fail')).toEqual([]);
    expect(item('programs')).toEqual([{ check: 'programs', level: 'ok', text: `rollup: ${other}, version v7` }]);
  } finally {
    hold.release();
  }
});

test('a taken port names who holds it', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { paths } = withProgram();
  const tables = readFileSync(paths.networks, 'utf8');
  writeFileSync(paths.networks, `${tables}ready = "tcp://127.0.0.1:${port}"\n`);
  const [finding] = (await getFindings(paths)).of('ports');
  await new Promise((resolve) => server.close(resolve));
  expect(finding).toMatchObject({ level: 'fail', text: expect.stringContaining(`port ${port} of rollup`) });
  expect(finding?.text).toContain('in use by');
  expect(finding?.advice).toContain('end it, or change');
});

test('keys that others can read, and keys that are gone', async () => {
  const { paths } = withProgram();
  chmodSync(paths.composerKey, 0o644);
  rmSync(paths.validatorKey);
  const nodeKey = join(paths.config, 'cometbft', 'node-0', 'config', 'node_key.json');
  mkdirSync(dirname(nodeKey), { recursive: true });
  writeFileSync(nodeKey, '', { mode: 0o644 });
  expect((await getFindings(paths)).of('keys').filter(({ level }) => level !== 'ok')).toMatchObject([
    { level: 'warn', text: `${paths.validatorKey} is absent` },
    {
      level: 'warn',
      text: `${paths.composerKey} can be read by others (mode 644)`,
      advice: `\`chmod 600 ${paths.composerKey}\``,
    },
    { level: 'warn', text: `${nodeKey} can be read by others (mode 644)` },
  ]);
});

test('the hold of a tool that is gone, and what it left running', async () => {
  const { paths } = withProgram();
  const gone = { pid: 2 ** 22 + 5, started: '1' };
  const left = { ...findMark(process.pid), name: 'rollup', own: false };
  const write = (services: object[]) =>
    writeFileSync(
      paths.run,
      JSON.stringify({ tool: gone, network: 'local', startedAt: 'then', id: 'of-a-test', programs: {}, services }),
    );
  write([]);
  expect((await getFindings(paths)).of('lock')).toMatchObject([
    { level: 'warn', advice: expect.stringContaining('replaces it') },
  ]);
  write([left]);
  expect((await getFindings(paths)).of('lock')).toMatchObject([
    {
      level: 'warn',
      text: expect.stringContaining(`left rollup (process ${process.pid})`),
      advice: expect.stringContaining('dev stop'),
    },
  ]);
});

test('broken settings are named with file and line', async () => {
  const { paths } = withProgram();
  writeFileSync(paths.base, 'a = 1\nb = = 2\n');
  expect((await getFindings(paths)).of('settings')).toMatchObject([
    { level: 'fail', text: expect.stringContaining(`${paths.base}:2:`) },
  ]);
});

test('a restore that was cut short is reported', async () => {
  const { paths } = withProgram();
  mkdirSync(join(paths.directory, '.restore-99999999'));
  expect((await getFindings(paths)).of('restore')).toMatchObject([{ level: 'warn' }]);
});

test('a clock that was set back is noticed by what is stored', async () => {
  const { paths } = withProgram();
  const file = join(paths.data, 'blocks');
  writeFileSync(file, '');
  const future = wallClock.unixMs() / 1_000 + 3_600;
  utimesSync(file, future, future);
  expect((await getFindings(paths)).of('clock')).toMatchObject([{ level: 'warn' }]);
});

test.each([
  [0, 'ok'],
  [-30_000, 'ok'],
  [4_000, 'ok'],
  [10_000, 'fail'],
  [-120_000, 'warn'],
])('a block %d ms after the clock is %s', (ms, level) => {
  expect(checkBlockTime(1_000_000 + ms, 1_000_000).level).toBe(level);
});

test.each([
  [undefined, 'ok'],
  [999_000, 'ok'],
  [1_010_000, 'warn'],
])('state stored at %s is %s', (newest, level) => {
  expect(checkStored(newest, 1_000_000).level).toBe(level);
});

test('the command ends with status 1 when something has to be corrected, also with --json', async () => {
  const { paths, program } = withProgram();
  const doctor = (...more: string[]) =>
    runWith((cli) => doctorCommand(cli), ['--home', paths.home, '--instance', paths.name, ...more]);
  rmSync(program);
  const { status, stdout, stderr } = await doctor();
  expect(status).toBe(1);
  expect(stdout).toMatch(/^fail +programs +.*rollup$/m);
  expect(stderr).toMatch(/^1 problem, \d+ warnings?\n$/);
  const json = await doctor('--json');
  expect([json.status, JSON.parse(json.stdout)]).toMatchObject([1, { ok: false, failed: 1 }]);
});
