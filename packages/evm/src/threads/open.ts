import { existsSync } from 'node:fs';
import { hasThreads, type ProcessContext } from '@switchyard/service';
import { isInMemory } from '@switchyard/storage';
import type { EvmConfig } from '../config.ts';
import { DEFAULT_BOUNDS } from '../rpc/deps.ts';
import type { SimulatorConfig } from '../simulate/evm-simulator.ts';
import { type CallThreads, openCallThreads } from './call-threads.ts';
import type { CallThreadData } from './messages.ts';

/** Missing if sources run. */
const PROGRAM = new URL('./worker.js', import.meta.url);

/** Whether threads find the node's database and their program: not if it is in memory, nor if sources run. */
export function hasOwnThreads({ dbFilepath }: Pick<EvmConfig, 'dbFilepath'>): boolean {
  return hasThreads() && !isInMemory(dbFilepath) && existsSync(PROGRAM);
}

/** Threads for calls of a node that has threads. */
export function openThreads(
  chain: Pick<CallThreadData, 'chainId' | 'forks' | 'archiveGenesis' | 'safe'>,
  config: Pick<EvmConfig, 'dbFilepath' | 'maxLogs' | 'maxBlockRange'>,
  { log, defer }: Pick<ProcessContext, 'log' | 'defer'>,
  simulator: SimulatorConfig,
): CallThreads {
  const { dbFilepath: directory, maxLogs, maxBlockRange } = config;
  const bounds = { maxLogs, maxBlockRange, queryTimeoutMs: DEFAULT_BOUNDS.queryTimeoutMs };
  const threads = openCallThreads({
    program: PROGRAM,
    data: { ...chain, directory, simulator, bounds },
    log: log.child({ component: 'calls' }),
  });
  defer(() => threads.close());
  return threads;
}
