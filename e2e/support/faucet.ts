import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import { root, until } from './network.ts';

const entry = join(root, 'packages', 'faucet', 'dist', 'main.js');

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface FaucetProcess {
  readonly url: string;
  /** Everything it printed. */
  output(): string;
  get(path: string): Promise<Answer>;
  claim(address: string): Promise<Answer>;
  /** Takes no leave. */
  kill(): Promise<void>;
  /** On the same disk and port as before. */
  start(): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * A faucet of its own: key, disk and ports.
 *
 * @param key 64 hexadecimal digits.
 * @param settings Names without the prefix.
 */
export async function startFaucet(key: string, settings: Readonly<Record<string, string>>): Promise<FaucetProcess> {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-faucet-'));
  const keyFile = join(home, 'key');
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const all = {
    LISTEN_ADDR: `127.0.0.1:${port}`,
    PRIVATE_KEY_FILE: keyFile,
    DB_FILEPATH: join(home, 'claims'),
    NO_METRICS: 'true',
    ...settings,
  };
  const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [`SVC_FAUCET_${name}`, value]));
  let child: ChildProcess | undefined;
  let output = '';

  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const answer = await fetch(url + path, init);
    // Our own process; its members are asserted on use.
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  };
  const faucet: FaucetProcess = {
    url,
    output: () => output,
    get: (path) => ask(path),
    claim: (address) => ask('/api/claim', { method: 'POST', body: JSON.stringify({ address }) }),
    async kill() {
      const killed = child;
      if (killed === undefined || killed.exitCode !== null || killed.signalCode !== null) return;
      const ended = new Promise((resolve) => killed.once('close', resolve));
      killed.kill('SIGKILL');
      await ended;
    },
    async start() {
      const started = spawn(process.execPath, [entry], {
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (chunk: Uint8Array) => (output += String(chunk)));
      }
      await until('the faucet answers', async () => {
        if (started.exitCode !== null) throw new Error(`it ended: ${output}`);
        return (await ask('/healthz')).status === 200 || undefined;
      });
    },
    async dispose() {
      await faucet.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
  await faucet.start();
  return faucet;
}
