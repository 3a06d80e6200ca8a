import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import { type DiskSnapshot, MemoryDisk } from '@switchyard/storage';
import type { NetworkMember } from './members.ts';
import { dataOf } from './settings.ts';

interface Stored {
  readonly members: readonly NetworkMember[];
  readonly environments: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly directory: string;
  /** Whether the directory outlives the network, with all stores in it. */
  readonly isKept: boolean;
}

/** Stores of the parts of a network, which are in memory except those that have to stay and those that threads open too. */
export class MemoryStores {
  readonly #disk = new MemoryDisk();
  readonly #directories: ReadonlyMap<string, string>;
  readonly #inFiles: ReadonlySet<string>;
  readonly #unmounts: readonly (() => void)[];

  constructor(stored: Stored) {
    const { members, directory } = stored;
    this.#directories = new Map(members.map(({ label }) => [label, dataOf(directory, label)]));
    this.#inFiles = new Set(members.filter((member) => isInFiles(member, stored)).map(({ label }) => label));
    const mounted = members.filter(({ label, acts }) => !this.#inFiles.has(label) && storeOf(acts) !== undefined);
    this.#unmounts = mounted.map(({ label }) => this.#disk.mount(dataOf(directory, label)));
  }

  /** Parts whose stores are in files. */
  get inFiles(): readonly string[] {
    return [...this.#inFiles];
  }

  /** The part has ended abruptly: what it has not committed is lost, and what still runs of it has no effect. */
  kill(label: string): void {
    const directory = this.#directories.get(label) ?? '';
    this.#disk.kill(directory);
    // It names this process, which has ended as far as the part is concerned.
    rmSync(join(directory, 'engine', 'lock'), { force: true });
  }

  snapshot(): DiskSnapshot {
    return this.#disk.snapshot();
  }

  /** To be called after `kill` of all parts. */
  restore(snapshot: DiskSnapshot): void {
    this.#disk.restore(snapshot);
  }

  release(): void {
    for (const unmount of this.#unmounts) unmount();
  }
}

const storeOf = (acts: NetworkMember['acts']): Program['store'] => PROGRAMS[acts].store;

/** A part without a store has none in files. The user may have put one elsewhere. */
function isInFiles({ label, acts }: NetworkMember, { directory, environments, isKept }: Stored): boolean {
  const store = storeOf(acts);
  if (store === undefined) return false;
  const place = environments.get(label)?.[store.names[0]];
  return isKept || acts === 'evm' || acts === 'explorer' || place !== dataOf(directory, label);
}
