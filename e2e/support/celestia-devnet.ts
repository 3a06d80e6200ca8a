import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeRange, type Ran, releasePorts, root, run, until } from './network.ts';

/** A Celestia network on loopback. Nothing of it is left after `stop`, or when this process ends. */
export interface CelestiaDevnet {
  /** Addresses, tokens and a funded key: the output of `devnet.sh env`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Starts missing processes. */
  up(): Promise<void>;
  status(): Promise<Ran>;
  /** Process id of `app` (the validator), `bridge` or `light`. */
  pid(part: 'app' | 'bridge' | 'light'): number;
  /** The height of the newest header. Asking for it makes the light node look for a bridge node that was away. */
  head(): Promise<number>;
  stop(): Promise<void>;
}

const SCRIPT = join(root, 'e2e', 'celestia', 'devnet.sh');
const FIRST_PORT = 27_650;
const PORT_COUNT = 8;
const START_MS = 180_000;

/** @throws when it does not serve in time, with its report. */
export async function startCelestia(): Promise<CelestiaDevnet> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-devnet-'));
  const port = await freeRange(FIRST_PORT, PORT_COUNT);
  const env = { CELESTIA_PORT: String(port), CELESTIA_BLOCK_MS: '200' };
  // It ends when its stdin does, and stops its children.
  const child = spawn('bash', [SCRIPT, 'run', directory], {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Uint8Array) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk: Uint8Array) => (stderr += String(chunk)));
  const closed = new Promise<true>((resolve) => child.once('close', () => resolve(true)));
  let hasEnded = false;
  void closed.then(() => (hasEnded = true));
  const script = (command: string) => run('bash', [SCRIPT, command, directory]);
  const stop = async () => {
    child.stdin.end();
    await closed;
    releasePorts(port, PORT_COUNT);
    rmSync(directory, { recursive: true, force: true });
  };
  const isThere = () => hasEnded || stdout.includes('CELESTIA_RELAYER_KEY=') || undefined;
  await until('the Celestia network serves', isThere, START_MS, 100);
  if (hasEnded) {
    await stop();
    throw new Error(`the Celestia network ended: ${stderr.trim()}`);
  }
  const variables = Object.fromEntries(
    [...stdout.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  return {
    variables,
    async up() {
      const { status, stderr: reported } = await script('up');
      if (status !== 0) throw new Error(reported);
    },
    status: () => script('status'),
    pid: (part) => Number(readFileSync(join(directory, 'pid', part), 'utf8').split(' ')[0]),
    async head() {
      const response = await fetch(variables.CELESTIA_LIGHT_RPC_URL ?? '', {
        method: 'POST',
        headers: { authorization: `Bearer ${variables.CELESTIA_LIGHT_READ_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'header.NetworkHead', params: [] }),
      });
      const { result } = (await response.json()) as { result: { header: { height: string } } };
      return Number(result.header.height);
    },
    stop,
  };
}
