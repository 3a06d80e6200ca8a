import { statSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import { HttpClient } from './http-client.ts';
import { until } from './network.ts';
import { withProcess } from './node-process.ts';
import { usage } from './usage.ts';

/** No process listens there. */
export const NOTHING = 'http://127.0.0.1:9';

export interface RunningExplorer {
  readonly url: string;
  readonly node: HttpClient;
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
  const settings = {
    HOME: directory,
    SVC_EXPLORER_DB_FILEPATH: directory,
    SVC_EXPLORER_LISTEN_ADDR: `127.0.0.1:${port}`,
    SVC_EXPLORER_MAX_REQUESTS_PER_SECOND: '1000000',
    SVC_EXPLORER_NO_METRICS: 'true',
    ...env,
  };
  return withProcess('explorer', settings, async (pid) => {
    const url = `http://127.0.0.1:${port}`;
    const node = new HttpClient(url);
    const size = (file: string) => statSync(join(directory, file), { throwIfNoEntry: false })?.size ?? 0;
    try {
      await until('the explorer', async () => ((await node.json('/v1/status')) ? true : undefined));
      const indexBytes = () => size('index.db') + size('index.db-wal');
      return await use({ url, node, usage: () => usage(pid), indexBytes });
    } finally {
      node.close();
    }
  });
}
