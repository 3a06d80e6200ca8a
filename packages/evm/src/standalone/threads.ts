import { existsSync } from 'node:fs';
import { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { Hash } from '@switchyard/evm-machine/types';
import { hasThreads, type Logger } from '@switchyard/service';
import type { Database } from '../database/database.ts';
import type { NextBlock } from '../simulate/environment.ts';
import type { Informed } from '../threads/call-thread.ts';
import { type CallThreads, openCallThreads } from '../threads/call-threads.ts';
import type { CallThreadData } from '../threads/messages.ts';
import type { Activity } from './activity/activity.ts';
import type { StandaloneNode } from './node.ts';
import { type Change, ReplicatedDatabase } from './replicated-database.ts';
import type { Edit } from './situation.ts';

/** Data that a thread for calls begins with. */
export interface StandaloneThreadData extends Pick<CallThreadData, 'chainId' | 'forks' | 'simulator' | 'bounds'> {
  /** Place of the database; undefined if it is in memory, and the thread has a copy. */
  readonly directory: string | undefined;
  readonly maxCodeBytes: number | undefined;
}

/** Edits by their changes: functions stay in their thread. */
export type Edited = Pick<StateOverlay, 'accounts' | 'slots' | 'cleared' | 'codes'>;

/** All that a thread does not know yet. */
export interface News {
  readonly changes: readonly Change[];
  /** Undefined if a block has none any more. */
  readonly edits: ReadonlyMap<bigint, Edited | undefined>;
  readonly next: NextBlock;
  readonly isLogged: boolean;
}

/** Missing if sources run. */
export const PROGRAM = new URL('./worker.js', import.meta.url);
/** Each may hold a copy of the chain. */
const COUNT = 2;

interface ThreadDeps {
  readonly program: URL;
  readonly data: StandaloneThreadData;
  readonly node: StandaloneNode;
  readonly database: Database;
  readonly activity: Activity;
  readonly log: Logger;
}

/** Undefined if there are no threads. */
export function standaloneThreads({ program, data, log, ...deps }: ThreadDeps): CallThreads | undefined {
  if (!hasThreads() || !existsSync(program)) return undefined;
  const informed = () => createInformed(deps);
  const onLine = (fields: Readonly<Record<string, unknown>>, sentence: string) => log.info(fields, sentence);
  return openCallThreads({ program, data, log, count: COUNT, informed, onLine });
}

function createInformed({ node, database, activity }: Pick<ThreadDeps, 'node' | 'database' | 'activity'>): Informed {
  const replica = database instanceof ReplicatedDatabase ? database.replica() : undefined;
  const known = new Map<bigint, { readonly list: readonly Edit[]; readonly on: Hash | undefined }>();
  return {
    news(): News {
      const { edits: all } = node.situation;
      const edits = new Map<bigint, Edited | undefined>();
      for (const block of known.keys()) if (!all.has(block)) edits.set(block, undefined);
      for (const block of edits.keys()) known.delete(block);
      for (const [block, list] of all) {
        const on = node.chain.findHash(block);
        const last = known.get(block);
        const state = last?.list === list && last.on === on ? undefined : node.chain.state(block);
        if (!(state instanceof StateOverlay)) continue;
        const { accounts, slots, cleared, codes } = state;
        edits.set(block, { accounts, slots, cleared, codes });
        known.set(block, { list, on });
      }
      return { changes: replica?.take() ?? [], edits, next: node.next, isLogged: activity.isEnabled };
    },
    end: () => replica?.end(),
  };
}
