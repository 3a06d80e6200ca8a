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
  // A network that it lacks ends the run before anything starts.
  const ran = await up(...pathArguments(paths), '--network', 'absent', '--template', 'evm');
  expect(existsSync(paths.networks)).toBe(true);
  expect(ran.status).toBe(1);
  expect(ran.stderr).toMatch(/^made instance test in \S+: \d+ files\n.*no network "absent", there is local\n$/s);
  const again = await up(...pathArguments(paths), '--network', 'absent', '--template', 'evm');
  expect(again.stderr).toMatch(/^--template has no effect: instance test is there; `switchyard dev init` adds rollups/);
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
