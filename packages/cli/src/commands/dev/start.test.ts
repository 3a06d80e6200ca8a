import { FOREVER } from '@switchyard/network/supervisor/testing';
import { expect, test } from 'vitest';
import { connectControl } from '../../dev/control/client.ts';
import { startInstance } from '../../dev/run/start.ts';
import { programsInstance, scratchPaths } from '../../dev/testing.ts';
import { runWith } from '../../testing.ts';
import { startCommand } from './services.ts';

test('an instance that a killed command left paused runs again', async () => {
  const paths = scratchPaths();
  programsInstance(paths, { one: FOREVER, two: FOREVER });
  const running = await startInstance({ paths, network: 'local', env: { PATH: process.env.PATH } });
  try {
    await running.supervisor.ready();
    const control = await connectControl(paths);
    await control?.pause();
    const args = ['--instance', paths.name, '--home', paths.home];
    const ran = await runWith((cli) => startCommand(cli), args);
    expect(ran).toMatchObject({ status: 0, stdout: 'instance test was paused; its services are started\n' });
    expect(await control?.status()).toMatchObject({
      paused: false,
      services: [{ state: 'ready' }, { state: 'ready' }],
    });
  } finally {
    await running.stop();
  }
});
