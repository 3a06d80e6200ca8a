import { existsSync } from 'node:fs';
import { FOREVER } from '@switchyard/network/supervisor/testing';
import { expect, test } from 'vitest';
import { startInstance } from '../dev/run/start.ts';
import { programsInstance, scratchPaths } from '../dev/testing.ts';
import { switchyard } from '../switchyard.ts';
import { runWith } from '../testing.ts';

const up = (...args: string[]) => runWith((cli, connect) => switchyard(cli, ['up'], connect), ['up', ...args]);
const pathArguments = ({ name, home }: { readonly name: string; readonly home: string }) => [
  ...['--instance', name, '--home', home],
];

test('up makes the instance that is not there, and then runs it', async () => {
  const paths = scratchPaths();
  // A program that is not there ends the run before anything starts.
  const args = [...pathArguments(paths), '--sequencer-path', '/absent', '--template', 'evm', '--port-offset', '7'];
  const ran = await up(...args);
  expect(existsSync(paths.networks)).toBe(true);
  expect(ran.status).toBe(2);
  expect(ran.stderr).toMatch(/^made instance test in \S+: \d+ files\n.*\/absent.*\n$/s);
  const again = await up(...args);
  expect(again.stderr).toMatch(
    /^--template has no effect: instance test is there; `switchyard dev init` adds rollups.*\n--port-offset has no effect: instance test is there, and keeps its ports\n/,
  );
});

// Defect: up made the instance before it refused an option, so that the second try had no new one and dropped its port offset
test.each([
  [
    ['--network', 'absent'],
    '--network absent: there is no instance, and a new one has the network local: leave it out',
  ],
  [['--validators', '4'], '--validators: only with --engine cometbft'],
  [
    ['--engine', 'solo', '--network', 'x'],
    '--network x: with --engine solo the network is local: leave one of them out',
  ],
])('up with %j makes nothing', async (wrong, message) => {
  const paths = scratchPaths();
  const ran = await up(...pathArguments(paths), ...wrong);
  expect([ran.status, ran.stderr.trim(), existsSync(paths.networks)]).toEqual([
    2,
    expect.stringContaining(message),
    false,
  ]);
});

test('up of an instance that runs names its start page', async () => {
  const paths = scratchPaths();
  programsInstance(paths, { one: FOREVER });
  const running = await startInstance({ paths, network: 'local', env: { PATH: process.env.PATH } });
  try {
    await running.supervisor.ready();
    expect(await up(...pathArguments(paths))).toMatchObject({
      status: 0,
      stdout: 'instance test runs, and has no start page\n',
    });
  } finally {
    await running.stop();
  }
});
