import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

/** Two listeners; a request has a file opened, and a connection made to the other one. */
const SERVES = `
  const { httpApp, serveHttp } = await import(process.argv[1]);
  const { readFile } = await import('node:fs/promises');
  const serve = async (asked) => {
    const app = httpApp();
    app.get('/', async (c) => {
      await readFile('/dev/null');
      return c.text(asked === undefined ? 'here' : await (await fetch(asked)).text());
    });
    return serveHttp({ listen: { host: '127.0.0.1', port: 0 }, app, name: 'X' });
  };
  const first = await serve();
  const second = await serve(first.url);
  console.log(JSON.stringify([first.port, second.port]));
`;

// Defect: Idle connections took all descriptors of a process
test.runIf(process.platform !== 'win32')(
  'idle connections to all listeners leave descriptors for files and for connections of the process itself',
  async () => {
    const program = new URL('../../dist/index.js', import.meta.url).href;
    const shell = 'ulimit -n 200; exec "$0" --input-type=module --eval "$1" "$2"';
    const child = spawn('bash', ['-c', shell, process.execPath, SERVES, program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const ports = JSON.parse(line) as [number, number];
    for (let count = 0; count < 300; count += 1) {
      const socket = connect(ports[count % 2] ?? 0, '127.0.0.1');
      socket.on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
    }
    for (let again = 0; again < 3; again += 1) {
      const answer = await fetch(`http://127.0.0.1:${ports[1]}/`, { headers: { connection: 'close' } });
      expect(await answer.text()).toBe('here');
    }
  },
);
