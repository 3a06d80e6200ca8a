import { silentLogger, systemClock, toJson } from '@switchyard/service';
import type { ChainStore } from '../chain/store.ts';
import type { Database } from '../database/database.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import { nodeStatus } from '../node/status.ts';
import { serveRpc } from '../rpc/serve.ts';
import { testMethods } from '../rpc/testing/test-rpc.ts';
import type { StateStore } from '../state/store.ts';

export interface ServedTestChain {
  readonly url: string;
  close(): Promise<void>;
}

/** Parts of `testChain` that are served. */
interface Stored {
  readonly genesis: EvmGenesis;
  readonly chain: ChainStore;
  readonly database: Database;
  readonly state: StateStore;
}

/** A test chain behind the listener of a node: JSON-RPC, and `/status`. @param port Any free one, if 0. */
export async function serveTestChain(stored: Stored, port = 0): Promise<ServedTestChain> {
  const { genesis, chain } = stored;
  const pool = { counts: { sent: 0, held: 0 }, trouble: undefined };
  const rpc = await serveRpc({
    methods: testMethods(stored),
    http: { listen: { host: '127.0.0.1', port }, name: 'HTTP' },
    routes: (app) => void app.get('/status', () => new Response(toJson(nodeStatus(genesis, chain, pool)))),
    log: silentLogger,
    clock: systemClock,
  });
  return { url: rpc.http.url, close: () => rpc.close() };
}
