import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { HttpClient } from '../support/http-client.ts';
import { root } from '../support/network.ts';

const ENTRY = join(root, 'e2e', 'dist', 'flood', 'idle-server.js');

/** A server that does nothing and is not attacked, on the processors of the network. */
export interface Floor {
  /** The time of an honest user's request to it is not the product's, but the machine's and that of this process. */
  request(): Promise<void>;
  stop(): void;
}

export async function startFloor(): Promise<Floor> {
  const server = spawn(process.execPath, [ENTRY], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(server.stdout, 'data')) as [Uint8Array];
  const http = new HttpClient(`http://127.0.0.1:${String(printed).trim()}`, { fresh: true });
  return {
    request: async () => void (await http.call({ method: 'GET', path: '/' })),
    stop: () => void server.kill(),
  };
}
