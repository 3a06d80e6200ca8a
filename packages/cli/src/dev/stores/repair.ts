import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import { type FoundStore, findStores, processesUsing, repairStore, type StoreKindName } from '@switchyard/storage';
import { type StoreReport, verifyAll } from './verify.ts';

export interface Repair {
  readonly directory: string;
  readonly kind: string;
  readonly done: string;
  /** New place of the damaged store. */
  readonly aside?: string;
  readonly lost: readonly string[];
}

const REPLAYED: Partial<Record<StoreKindName, string>> = {
  state: 'the next start of its process begins at the genesis and executes all blocks again',
  evm: 'the next start of its process begins at the genesis and executes all blocks again',
  'signed-headers': 'the next start asks CometBFT for them again',
};

/**
 * Repairs the stores in and below a directory that have problems. Intact ones stay unchanged; nothing is deleted.
 *
 * @throws {Failure} when a process uses one of them, or one cannot be repaired; earlier ones are repaired then.
 */
export function repairAll(root: string): Repair[] {
  const directory = resolve(root);
  if (!existsSync(directory)) throw new Failure(`${directory}: is absent: nothing to repair`);
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
  if (store?.kind === undefined) {
    throw new Failure(
      `${directory}: its kind is not recorded: restore a backup, or remove it: its process then starts from an empty state`,
    );
  }
  const { kind } = store;
  const repaired = repairStore(directory, kind, getSnapshots(directory));
  if (repaired === undefined) {
    throw new Failure(
      `${directory}: ${report.problems[0]?.what ?? 'damaged'}: no snapshot has all that is lost: restore one of the instance with \`switchyard dev snapshot restore\`, or start over with \`switchyard dev reset state\``,
    );
  }
  const { aside, saved, lost, copy } = repaired;
  const from = copy === undefined ? '' : ` with those of ${copy}`;
  const done =
    saved === undefined ? (REPLAYED[kind] ?? 'the next start makes it again') : `saved ${saved} records${from}`;
  return { directory, kind, done, aside, lost };
}

/** Copies of a store in the snapshots of its instance, the newest first. */
function getSnapshots(directory: string): string[] {
  for (let above = dirname(directory); above !== dirname(above); above = dirname(above)) {
    const snapshots = join(above, 'snapshots');
    if (!existsSync(join(above, 'networks-config.toml')) || !existsSync(snapshots)) continue;
    return readdirSync(snapshots)
      .filter((name) => !name.startsWith('.'))
      .map((name) => join(snapshots, name, relative(above, directory)))
      .filter((path) => existsSync(join(path, 'data.mdb')))
      .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  }
  return [];
}
