import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { until } from './network.ts';
import { tool } from './tools.ts';

export const anvilIsThere = (): boolean => existsSync(tool('anvil'));

/** A development chain that is not ours, from the packages in `e2e/tools`. */
export interface Anvil {
  readonly url: string;
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  stop(): Promise<void>;
}

/** @param args Alongside the port, such as `--block-time 1`. */
export async function startAnvil(port: number, ...args: readonly string[]): Promise<Anvil> {
  const child: ChildProcess = spawn(tool('anvil'), ['--port', String(port), '--silent', ...args], {
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = `http://127.0.0.1:${port}`;
  const anvil: Anvil = {
    url,
    async call(method, ...params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
  await until('anvil answers', () => anvil.call('eth_chainId'));
  return anvil;
}
