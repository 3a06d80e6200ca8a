import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import { root, until } from '../support/network.ts';
import { Node } from './load.ts';
import { usage } from './processes.ts';

/** No process listens there. */
export const NOTHING = 'http://127.0.0.1:9';

export interface RunningExplorer {
  readonly url: string;
  readonly node: Node;
  usage(): ReturnType<typeof usage>;
  /** Size of the index on disk, including data that is not yet in its main file. */
  indexBytes(): number;
}

/** Runs an explorer whose index is in `directory` until `use` is done. @param env Its nodes. */
export async function withExplorer<T>(
  { directory, env }: { readonly directory: string; readonly env: Readonly<Record<string, string>> },
  use: (explorer: RunningExplorer) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join(root, 'packages', 'explorer', 'dist', 'main.js')], {
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      SVC_EXPLORER_DB_FILEPATH: directory,
      SVC_EXPLORER_LISTEN_ADDR: `127.0.0.1:${port}`,
      SVC_EXPLORER_MAX_REQUESTS_PER_SECOND: '1000000',
      SVC_EXPLORER_NO_METRICS: 'true',
      ...env,
    },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const node = new Node(url);
  try {
    await until('the explorer', async () => ((await node.json('/v1/status')) ? true : undefined));
    return await use({
      url,
      node,
      usage: () => usage(child.pid ?? 0),
      indexBytes: () =>
        ['index.db', 'index.db-wal'].reduce(
          (sum, file) => sum + (statSync(join(directory, file), { throwIfNoEntry: false })?.size ?? 0),
          0,
        ),
    });
  } finally {
    node.close();
    child.kill('SIGTERM');
    await ended;
  }
}

/** A directory for one index, which is removed. */
export async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
