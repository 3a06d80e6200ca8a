import { type Clock, httpApp, RateLimit, silentLogger, systemClock, wallClock } from '@switchyard/service';
import { createContracts } from '../evm/open-contracts.ts';
import { balanceSheets } from '../http/balance-sheets.ts';
import { ComposerTimes } from '../http/composer-times.ts';
import { type ApiContext, addressText } from '../http/context.ts';
import { LayerPlaces } from '../http/layer-places.ts';
import { explorerRoutes, explorerTable } from '../http/routes.ts';
import { mustBeDescribed } from './described.ts';

/** The explorer's API in memory, over an index and over nodes that a test provides. */
export function testApi(
  parts: Pick<ApiContext, 'store' | 'sequencer'> & Partial<ApiContext>,
  clock: Clock = systemClock,
) {
  const stop = new AbortController();
  const app = httpApp(silentLogger);
  const unreachable = () => Promise.reject(new Error('no node in this test'));
  const accounts = { balances: unreachable, nonce: unreachable, bridgeAccount: unreachable };
  const noContracts = { place: 'nowhere', read: async () => [], write: unreachable, close: async () => undefined };
  const context: ApiContext = {
    rollups: [],
    evm: [],
    contracts: createContracts(noContracts, undefined, {
      ...{ clock, wall: wallClock, log: silentLogger, signal: stop.signal },
    }),
    client: {
      ...accounts,
      filteredBlock: unreachable,
      commit: unreachable,
      validators: unreachable,
    },
    composer: new ComposerTimes({ url: undefined, clock, log: silentLogger }),
    layer: new LayerPlaces({ url: undefined, chainId: () => undefined, clock, log: silentLogger }),
    sheets: balanceSheets({ urls: [], fetch: undefined, clock, log: silentLogger }),
    address: addressText('astria'),
    addressPrefix: 'astria',
    clock,
    log: silentLogger,
    signal: stop.signal,
    ...parts,
  };
  const rate = new RateLimit({ perSecond: 1_000_000, burst: 1_000_000, maxClients: 10 });
  explorerRoutes(app, context, { rate, clock });
  const table = explorerTable(context);
  return {
    /** Calls of a sequencer node that answer nothing. */
    unreachable: accounts,
    stop: () => stop.abort(new Error('the test is over')),
    /** Paths of all GET routes, as the document has them. */
    paths: table.flatMap(({ method, url }) => (method === 'get' ? [url] : [])),
    /** The answer to a GET, which must match the document. */
    async get(path: string) {
      const response = await app.request(path);
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape
      const body: any = isJson ? await response.json() : undefined;
      if (isJson) mustBeDescribed(table, path, response.status, body);
      return { status: response.status, body, response };
    },
  };
}
