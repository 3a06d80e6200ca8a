import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { INDEX_FILE } from '@switchyard/explorer/config';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import { type DiskSnapshot, MemoryDisk } from '@switchyard/storage';
import { BadOptions } from './bad-options.ts';
import type { NetworkMember } from './members.ts';
import { toData } from './settings.ts';

interface Stored {
  readonly members: readonly NetworkMember[];
  readonly environments: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly directory: string;
  /** Whether the directory outlives the network, with all stores in it. */
  readonly isKept: boolean;
}

/** Stores of all parts of a network at one moment, for `LocalNetwork.revert`. */
export interface NetworkSnapshot {
  readonly kind: 'snapshot of a network';
}

/**
 * Stores of the parts of a network, which are in memory except persistent ones and the index of an explorer, which is a database
 * of another kind and is made again after a revert.
 */
export class MemoryStores {
  readonly #disk = new MemoryDisk();
  readonly #directory: string;
  readonly #inFiles: ReadonlySet<string>;
  /** Labels of the explorers among them, if their index ends with the network. */
  readonly #indexes: ReadonlySet<string>;
  readonly #snapshots = new WeakMap<NetworkSnapshot, DiskSnapshot>();
  readonly #unmounts: readonly (() => void)[];

  constructor(stored: Stored) {
    const { members, directory } = stored;
    this.#directory = directory;
    this.#inFiles = new Set(members.filter((member) => isInFiles(member, stored)).map(({ label }) => label));
    const explorers = members.filter((member) => member.program === 'explorer' && endsWithNetwork(member, stored));
    this.#indexes = new Set(explorers.map(({ label }) => label));
    const mounted = members.filter(
      ({ label, program }) => !this.#inFiles.has(label) && getStore(program) !== undefined,
    );
    this.#unmounts = mounted.map(({ label }) => this.#disk.mount(toData(directory, label)));
  }

  isInFiles(label: string): boolean {
    return this.#inFiles.has(label);
  }

  /** The part has ended abruptly: uncommitted data is lost, and code of it that still runs has no effect. */
  kill(label: string): void {
    this.#disk.kill(toData(this.#directory, label));
  }

  /** @throws {BadOptions} if stores are in files. */
  snapshot(): NetworkSnapshot {
    const [label] = [...this.#inFiles].filter((each) => !this.#indexes.has(each));
    if (label !== undefined) throw new BadOptions(`snapshot: the stores of ${label} are in files, not in memory`);
    const snapshot: NetworkSnapshot = Object.freeze({ kind: 'snapshot of a network' });
    this.#snapshots.set(snapshot, this.#disk.snapshot());
    return snapshot;
  }

  /**
   * @returns undoes all that was written since, once no part runs. Nothing of the indexes is left.
   * @throws {BadOptions} if it is of other stores.
   */
  restorer(snapshot: NetworkSnapshot): () => void {
    const found = this.#snapshots.get(snapshot);
    if (found === undefined) throw new BadOptions('revert: the snapshot is of another network');
    return () => {
      this.#disk.restore(found);
      for (const label of this.#indexes) {
        const index = join(toData(this.#directory, label), INDEX_FILE);
        for (const end of ['', '-wal', '-shm']) rmSync(`${index}${end}`, { force: true });
      }
    };
  }

  release(): void {
    for (const unmount of this.#unmounts) unmount();
  }
}

const getStore = (program: NetworkMember['program']): Program['store'] => PROGRAMS[program].store;

/** A part without a store has none in files. */
function isInFiles(member: NetworkMember, stored: Stored): boolean {
  const { label, program } = member;
  // The chain is that of a process elsewhere.
  const isStock =
    program === 'evm' && stored.environments.get(label)?.[PROGRAMS.evm.fields.backend.names[0]] === 'stock';
  return getStore(program) !== undefined && (program === 'explorer' || isStock || !endsWithNetwork(member, stored));
}

/** The user may have put a store elsewhere. */
function endsWithNetwork({ label, program }: NetworkMember, stored: Stored): boolean {
  const store = getStore(program);
  const place = store && stored.environments.get(label)?.[store.names[0]];
  return !stored.isKept && place === toData(stored.directory, label);
}
