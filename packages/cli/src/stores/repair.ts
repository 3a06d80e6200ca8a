import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type FoundStore,
  findStores,
  processesUsing,
  repairRoot,
  repairStore,
  type StoreKindName,
} from '@switchyard/storage';
import { Failure } from '../failure.ts';
import { repairBlockLog } from './repair-blocks.ts';
import { type StoreReport, verifyAll } from './verify.ts';

export interface Repair {
  readonly directory: string;
  readonly kind: string;
  readonly done: string;
  /** Where what was damaged is now. */
  readonly aside?: string;
  readonly lost: readonly string[];
}

const REPLAYED: Partial<Record<StoreKindName, string>> = {
  state: 'the next start of its process begins at the genesis and executes all blocks again',
  evm: 'the next start of its process begins at the genesis and executes all blocks again',
  'block-index': 'the next start makes it again from the blocks',
  'signed-headers': 'the next start asks CometBFT for them again',
};

/**
 * Repairs the stores in and below a directory that have problems. Whole ones stay as they are; nothing is deleted.
 *
 * @throws {Failure} when a process uses one of them, or one cannot be repaired; earlier ones are repaired then.
 */
export function repairAll(root: string): Repair[] {
  if (!existsSync(resolve(root))) throw new Failure(`${resolve(root)}: is absent: nothing to repair`);
  const directory = repairRoot(resolve(root));
  const users = processesUsing(directory);
  if (users.length > 0) {
    throw new Failure(`${directory}: process ${users.join(', ')} uses it: stop it, and repeat`);
  }
  const found = new Map(findStores(directory).map((store) => [`${store.kind} ${store.directory}`, store]));
  if (found.size === 0) throw new Failure(`${directory}: no store of ours is in it`);
  return verifyAll(directory)
    .filter(({ problems }) => problems.length > 0)
    .map((report) => repairOne(report, found.get(`${report.kind} ${report.directory}`)));
}

function repairOne(report: StoreReport, store: FoundStore | undefined): Repair {
  const { directory } = report;
  if (store?.kind === 'block-log') return { directory, kind: 'block-log', lost: [], ...repairBlockLog(report) };
  if (store?.kind === undefined) {
    throw new Failure(
      `${directory}: its kind is not recorded: restore a backup, or remove it: its process then starts from an empty state`,
    );
  }
  const { kind } = store;
  const { aside, saved, lost } = repairStore(directory, kind);
  const done = saved === undefined ? (REPLAYED[kind] ?? 'the next start makes it again') : `saved ${saved} records`;
  return { directory, kind, done, aside, lost };
}
