import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { groupListens, holderOf } from '../supervisor/listeners.ts';
import { requireFreePorts } from './port-check.ts';

async function busyPort() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}

const use = (port: number, service = 'rollup') => ({
  service,
  setting: 'REST_ADDR',
  where: 'rest_addr in base-config.toml',
  use: 'HTTP',
  host: '127.0.0.1',
  port,
});

test.runIf(process.platform === 'linux')(
  'a taken port is reported with its service, its setting and who holds it',
  async () => {
    const [first, second] = [await busyPort(), await busyPort()];
    try {
      expect((await holderOf(first.port))?.pid).toBe(process.pid);
      expect(await groupListens(process.pid, first.port)).toBe(true);
      expect(await groupListens(2 ** 22 + 1, first.port)).toBe(false);
      const pattern = (port: number, service: string) =>
        `port ${port} of ${service} \\(HTTP\\): in use by process ${process.pid} \\(.+\\): end it, or change rest_addr in base-config\\.toml, or use an instance made with --port-offset`;
      await expect(requireFreePorts([use(first.port), use(0), use(second.port, 'chat')])).rejects.toThrow(
        new RegExp(`^${pattern(first.port, 'rollup')}\n${pattern(second.port, 'chat')}$`),
      );
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  },
);

test.runIf(process.platform === 'linux')('a port of another instance is reported as such', async () => {
  const { port, close } = await busyPort();
  try {
    const whose = (pid: number) => (pid === process.pid ? 'service rollup of instance chat' : undefined);
    await expect(requireFreePorts([use(port)], whose)).rejects.toThrow(
      `port ${port} of rollup (HTTP): in use by service rollup of instance chat (process ${process.pid}): stop that, or change`,
    );
  } finally {
    await close();
  }
});

test.runIf(process.platform === 'linux')('a port that a connection has is reported as such', async () => {
  const { port: to, close } = await busyPort();
  const connection = connect({ host: '127.0.0.1', port: to });
  await once(connection, 'connect');
  const { localPort = 0 } = connection;
  await expect(requireFreePorts([use(localPort)])).rejects.toThrow(
    `port ${localPort} of rollup (HTTP): in use by a connection from process ${process.pid} (`,
  );
  // This end closes first, so its port waits.
  const closed = once(connection, 'close');
  connection.end();
  await Promise.all([closed, close()]);
  await expect(requireFreePorts([use(localPort)])).rejects.toThrow(
    `port ${localPort} of rollup (HTTP): in use by a connection that has just ended: try again in a minute, or change`,
  );
});

test('free ports are free again after they were checked', async () => {
  const { port, close } = await busyPort();
  await close();
  await requireFreePorts([use(port)]);
  await requireFreePorts([use(port)]);
});

test('a host that is not ours is reported as such', async () => {
  await expect(requireFreePorts([{ ...use(4711), host: '192.0.2.1' }])).rejects.toThrow(
    /port 4711 of rollup \(HTTP\): cannot be bound on 192\.0\.2\.1 \(E\w+\): change rest_addr/,
  );
});
