import type { Executor } from '@switchyard/rollup';
import { type Logger, silentLogger } from '@switchyard/service';
import type { ChainStore } from '../chain/store.ts';
import { type Database, openMemoryDatabase } from '../database.ts';
import { parseEvmGenesis } from '../genesis.ts';
import { Senders } from '../senders/senders.ts';
import { ipcLink } from './ipc-link.ts';
import { openStock } from './open.ts';

export interface StockChainOptions {
  /** geth's unix socket. */
  readonly ipc: string;
  /** Text of the genesis file. */
  readonly genesis: string;
  /** One that was begun with the same genesis is gone on with. */
  readonly database?: Database;
  readonly log?: Logger;
  readonly patienceMs?: number;
}

/** The stock back end of a node, without the node. */
export interface StockChain {
  readonly executor: Executor;
  readonly chain: ChainStore;
  readonly database: Database;
  readonly trouble: string | undefined;
  /** Looks after geth until `close`. @throws {Unusable} */
  work(): Promise<void>;
  close(): void;
}

export function openStockChain({
  ipc,
  genesis: text,
  database,
  log = silentLogger,
  patienceMs = 60_000,
}: StockChainOptions): StockChain {
  const genesis = parseEvmGenesis(text, 'genesis');
  const opened = database ?? openMemoryDatabase();
  const stopping = new AbortController();
  const link = ipcLink(ipc);
  const deps = {
    database: opened,
    senders: new Senders(),
    link,
    queries: link,
    safe: 'soft' as const,
    log,
    patienceMs,
  };
  const stock = openStock(genesis, { ...deps, signal: stopping.signal });
  return {
    executor: stock.executor,
    chain: stock.chain,
    database: opened,
    get trouble() {
      return stock.trouble;
    },
    work: () => stock.work(),
    close() {
      stopping.abort(new Error('closed'));
      link.close();
    },
  };
}

export { History, historyChain, historyGenesis } from '../testing/history.ts';
