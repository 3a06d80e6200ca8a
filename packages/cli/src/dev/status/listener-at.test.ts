import { type AddressInfo, createServer } from 'node:net';
import { FOREVER } from '@switchyard/network/supervisor/testing';
import { expect, test } from 'vitest';
import { holdInstance } from '../instance/run-file.ts';
import { programsInstance, scratchPaths } from '../testing.ts';
import { listenerAt } from './listener-at.ts';

// Defect: URL of another service answered without its name
test('a service of an instance that listens at a URL is named, and what no instance has is not', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const paths = scratchPaths('chat');
  programsInstance(paths, { web: FOREVER }, { web: `ready = "tcp://127.0.0.1:${port}"` });
  const env = { SWITCHYARD_HOME: paths.home };
  const url = `http://localhost:${port}/v1`;
  expect(await listenerAt(url, env)).toBeUndefined();
  // The listener is this process, which holds the instance.
  const hold = await holdInstance(paths, 'local');
  try {
    expect(await listenerAt(url, env)).toBe(`port ${port} is TCP of web (instance chat)`);
    expect(await listenerAt(`http://192.0.2.1:${port}`, env)).toBeUndefined();
  } finally {
    hold.release();
    await new Promise((resolve) => server.close(resolve));
  }
});
