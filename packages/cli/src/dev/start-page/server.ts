import { join } from 'node:path';
import type { PortUse } from '@switchyard/network/supervisor/spec';
import { httpApp, operatorAccess, pageRoutes, serveHttp } from '@switchyard/service';
import type { NetworkPages } from '@switchyard/service/settings';
import { NETWORK_SCHEMA } from '../status/network.ts';
import type { PageFacts } from './page-facts.ts';

/** Directory of the built page. Without it there is the JSON and no page. */
const PAGE = join(import.meta.dirname, '..', '..', '..', '..', 'web', 'dist', 'start');

/** Prefix of the variables that list further names of this machine, and origins whose pages may read the JSON. */
const PREFIX = 'SWITCHYARD_';
const MAX_CONNECTIONS = 256;

const getList = (text = '') => text.split(',').flatMap((item) => item.trim() || []);

export interface StartPageOptions {
  readonly use: PortUse;
  readonly env: NodeJS.ProcessEnv;
  /** For the menu. */
  readonly pages: NetworkPages | undefined;
  /** Asks the services, so it is called once at a time, however many pages are open. */
  readonly describe: () => Promise<PageFacts>;
}

export interface StartPageServer {
  /** The port chosen by the system, if the address has 0. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves the start page of a network at `/`, the facts on it as `/network.json`, and their schema.
 *
 * @throws {CannotListen} if the address cannot be used.
 */
export async function serveStartPage({ use, env, pages, describe }: StartPageOptions): Promise<StartPageServer> {
  const app = httpApp();
  const shared = oneAtATime(describe);
  const schema = JSON.stringify(NETWORK_SCHEMA, null, 2);
  app.get('/network.json', async (c) => c.json(await shared(), 200, { 'cache-control': 'no-store' }));
  app.get('/network.schema.json', (c) => c.body(schema, 200, { 'content-type': 'application/schema+json' }));
  pageRoutes(app, PAGE, { pages });
  return serveHttp({
    listen: { host: use.host, port: use.port },
    name: use.where,
    app,
    // Nothing is sent here.
    maxBodyBytes: 1_024,
    access: operatorAccess(
      {
        allowedHosts: getList(env[`${PREFIX}ALLOWED_HOSTS`]),
        allowedOrigins: getList(env[`${PREFIX}ALLOWED_ORIGINS`]),
        maxConnectionsPerAddress: MAX_CONNECTIONS,
      },
      PREFIX,
    ),
  });
}

/** One answer for all who ask while it is made. */
function oneAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= ask().finally(() => {
      current = undefined;
    });
    return current;
  };
}
