import type { Executor } from '@switchyard/rollup/execution';
import { type Clock, type Logger, silentLogger } from '@switchyard/service';
import type { ChainStore } from '../chain/store.ts';
import type { Database } from '../database/database.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { parseEvmGenesis } from '../genesis/genesis.ts';
import { Senders } from '../senders/senders.ts';
import { ipcLink } from './ipc-link.ts';
import type { Link } from './link.ts';
import { type GethBackend, openGeth } from './open.ts';

export interface GethChainOptions {
  /** geth's unix socket, or something that answers like it. */
  readonly ipc: string | Link;
  /** Text of the genesis file. */
  readonly genesis: string;
  /** A database of the same genesis is continued. */
  readonly database?: Database;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly patienceMs?: number;
}

/** The stock back end of a node, without the node. */
export interface GethChain extends Pick<GethBackend, 'queries'> {
  readonly executor: Executor;
  readonly chain: ChainStore;
  readonly database: Database;
  readonly trouble: string | undefined;
  /** Looks after geth until `close`. @throws {Unusable} */
  work(): Promise<void>;
  close(): void;
}

export function openGethChain(options: GethChainOptions): GethChain {
  const { ipc, genesis: text, database = openMemoryDatabase(), log = silentLogger, patienceMs = 60_000 } = options;
  const genesis = parseEvmGenesis(text, 'genesis');
  const stopping = new AbortController();
  const link = typeof ipc === 'string' ? ipcLink(ipc) : ipc;
  const clock = options.clock === undefined ? {} : { clock: options.clock };
  const deps = { database, senders: new Senders(), link, queries: link, safe: 'soft' as const, log, patienceMs };
  const stock = openGeth(genesis, { ...deps, ...clock, signal: stopping.signal });
  return {
    executor: stock.executor,
    chain: stock.chain,
    queries: stock.queries,
    database,
    get trouble() {
      return stock.trouble;
    },
    work: () => stock.work(),
    close() {
      stopping.abort(new Error('closed'));
      if (typeof ipc === 'string') link.close();
    },
  };
}

export { History, historyChain, historyGenesis } from '../testing/history.ts';
export { httpLink } from './http-link.ts';
export { ipcLink } from './ipc-link.ts';
