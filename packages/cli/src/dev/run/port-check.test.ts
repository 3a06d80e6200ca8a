import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { findHolder, groupListens } from '@switchyard/network/supervisor/listeners';
import { socketsAt } from '@switchyard/service';
import { expect, test } from 'vitest';
import { requireFreePorts } from './port-check.ts';

async function busyPort() {
  const server = createServer((socket) => socket.on('error', () => {}));
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
      expect((await findHolder(first.port))?.pid).toBe(process.pid);
      expect(await groupListens(process.pid, first.port)).toBe(true);
      expect(await groupListens(2 ** 22 + 1, first.port)).toBe(false);
      const pattern = (port: number, service: string) =>
        `port ${port} of ${service} \\(HTTP\\): in use by process ${process.pid} \\(.+\\): end it, or change rest_addr in base-config\\.toml`;
      await expect(requireFreePorts([use(first.port), use(0), use(second.port, 'chat')])).rejects.toThrow(
        new RegExp(
          `^${pattern(first.port, 'rollup')}\n${pattern(second.port, 'chat')}\nor use ports that are free, in another instance: \`switchyard dev init --instance NAME --port-offset \\d+\`$`,
        ),
      );
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  },
);

// Defect: Alongside a running instance, `dev run` reported each port, and not how to stop it
test.runIf(process.platform === 'linux')(
  'all ports of another instance are one line, with the command that stops it',
  async () => {
    const [first, second] = [await busyPort(), await busyPort()];
    try {
      const whose = (pid: number) => (pid === process.pid ? { name: 'chat', home: '/tmp/a home' } : undefined);
      await expect(requireFreePorts([use(first.port), use(second.port, 'evm')], { whose })).rejects.toThrow(
        new RegExp(
          `^ports ${first.port}, ${second.port}: in use by instance chat, which runs: stop it with \`switchyard dev stop --instance chat --home '/tmp/a home'\`\nor use ports that are free, in another instance: .*$`,
        ),
      );
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  },
);

/** An open connection of this process, from a port that the system chose and that no connection to elsewhere has too. */
async function connection(t: { readonly to: number }) {
  for (;;) {
    const socket = connect({ host: '127.0.0.1', port: t.to });
    await once(socket, 'connect');
    const { localPort: port = 0 } = socket;
    if (socketsAt(port).length === 1) return { port, socket };
    socket.resetAndDestroy();
  }
}

test.runIf(process.platform === 'linux')('a port that a connection has is reported as such', async () => {
  const { port: to, close } = await busyPort();
  const { port, socket } = await connection({ to });
  await expect(requireFreePorts([use(port)])).rejects.toThrow(
    `port ${port} of rollup (HTTP): in use by a connection from process ${process.pid} (`,
  );
  // This end closes first, so its port waits.
  const closed = once(socket, 'close');
  socket.end();
  await Promise.all([closed, close()]);
  await expect(requireFreePorts([use(port)])).rejects.toThrow(
    `port ${port} of rollup (HTTP): in use by a connection that has just ended: try again in a minute, or change`,
  );
});

// Defect: Start ended by a port on which another program had a connection
test.runIf(process.platform === 'linux')(
  'a port that a connection has is waited for, and reported in one line',
  async () => {
    const { port: to, close } = await busyPort();
    const { port, socket } = await connection({ to });
    const notices: string[] = [];
    await requireFreePorts([use(port)], {
      onWait(line) {
        notices.push(line);
        // Without a minute in TIME_WAIT.
        socket.resetAndDestroy();
      },
    });
    await close();
    expect(notices).toEqual([`connections of other programs hold ports: waiting up to 75 s for ${port} (rollup)`]);
  },
);

test.runIf(process.platform === 'linux')(
  'the wait has an end, is cancelled, and is not begun for a listener',
  async () => {
    const { port: to, close } = await busyPort();
    const { port, socket } = await connection({ to });
    const notices: string[] = [];
    const onWait = (line: string) => void notices.push(line);
    await expect(requireFreePorts([use(port)], { onWait, patienceMs: 1 })).rejects.toThrow(
      'in use by a connection from',
    );
    const stop = new AbortController();
    const cancelled = requireFreePorts([use(port)], {
      onWait: () => stop.abort(new Error('stopped')),
      signal: stop.signal,
    });
    await expect(cancelled).rejects.toThrow('stopped');
    await expect(requireFreePorts([use(port), use(to)], { onWait })).rejects.toThrow(
      `port ${to} of rollup (HTTP): in use by`,
    );
    expect(notices).toHaveLength(1);
    socket.resetAndDestroy();
    await close();
  },
);

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
