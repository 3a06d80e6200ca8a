import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface BlackHole {
  readonly url: string;
  close(): void;
}

const SERVER = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    console.log(server.address().port);
  });
`;
const MOST = 64;
const ACCEPTED_MS = 300;

/** An address at which nothing answers, not even with a refusal: the queue of a stopped process is full. */
export async function blackHole(): Promise<BlackHole> {
  const child = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'ignore'] });
  const sockets: Socket[] = [];
  const close = () => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  };
  try {
    const [line] = await once(child.stdout, 'data');
    const port = Number(String(line));
    child.kill('SIGSTOP');
    while (sockets.length < MOST) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      const isAccepted = await new Promise((resolve) => {
        socket.once('connect', () => resolve(true));
        setTimeout(() => resolve(false), ACCEPTED_MS);
      });
      if (!isAccepted) return { url: `http://127.0.0.1:${port}`, close };
    }
    throw new Error(`a stopped process took ${MOST} connections`);
  } catch (error) {
    close();
    throw error;
  }
}
