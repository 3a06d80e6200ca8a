import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { FOREVER } from '@switchyard/network/supervisor/testing';
import { expect, test } from 'vitest';
import type { Cli } from '../../cli.ts';
import { connectControl } from '../../dev/control/client.ts';
import { startInstance } from '../../dev/run/start.ts';
import { programsInstance, scratchPaths } from '../../dev/testing.ts';
import { runWith } from '../../testing.ts';
import { restartCommand, startCommand, stopCommand } from './services.ts';

import { statusCommand } from './status.ts';

// Defect: `dev stop a b` was refused, and `dev status` named a rollup that there is not
test('several services are stopped, started and restarted by one command, all or none', async () => {
  const paths = scratchPaths();
  programsInstance(paths, { one: FOREVER, two: FOREVER, three: FOREVER });
  const running = await startInstance({ paths, network: 'local', env: { PATH: process.env.PATH } });
  try {
    await running.supervisor.ready();
    const control = await connectControl(paths);
    const states = async () => (await control?.status())?.services.map(({ state }) => state);
    const run = (command: (cli: Cli) => CommandUnknownOpts, ...args: readonly string[]) =>
      runWith((cli) => command(cli), [...args, '--instance', paths.name, '--home', paths.home]);
    expect(await run(stopCommand, 'one', 'tow')).toMatchObject({
      status: 1,
      stderr: 'no service tow, there is one, two, three; did you mean "two"?\n',
    });
    expect(await states()).toEqual(['ready', 'ready', 'ready']);
    const again = (name: string) => `\`switchyard dev start ${name} --instance test --home ${paths.home}\` starts it`;
    expect(await run(stopCommand, 'one', 'two', 'one')).toMatchObject({
      status: 0,
      stdout: `service one stopped: ${again('one')}\nservice two stopped: ${again('two')}\n`,
    });
    expect(await states()).toEqual(['stopped', 'stopped', 'ready']);
    expect((await run(startCommand, 'two', 'one')).stdout).toBe('service two started\nservice one started\n');
    expect((await run(restartCommand, 'one', 'three')).stdout).toBe(
      'service one started again\nservice three started again\n',
    );
    expect(await states()).toEqual(['ready', 'ready', 'ready']);
    // Nothing of ours runs, so that no block of a rollup is unknown.
    expect((await run(statusCommand)).stdout).toMatch(/\n {2}sequencer block unknown\n/);
  } finally {
    await running.stop();
  }
});
