import { EMPTY_CODE_HASH, EMPTY_ROOT } from '@switchyard/evm-machine/account';
import { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { AccountProof, StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { Database, DbWriter } from '../database/database.ts';
import { CommittedStates, PROVABLE_BLOCKS } from './committed.ts';
import { type Lateness, USUAL_LATENESS } from './committed-trie.ts';
import { prove } from './prove.ts';
import { seal } from './seal.ts';
import type { Base, SealedState } from './sealed.ts';

export interface GenesisAccount {
  readonly balance: bigint;
  readonly nonce?: bigint;
  readonly code?: Uint8Array;
  readonly storage?: ReadonlyMap<Hash, bigint>;
}

export type Alloc = ReadonlyMap<Address, GenesisAccount>;

/** State before there is any. */
const NOTHING: Base = {
  account: () => undefined,
  storage: () => 0n,
  code: (hash) => {
    if (hash === EMPTY_CODE_HASH) return new Uint8Array();
    throw new Error(`there is no code with hash ${hash}`);
  },
  trieRow: () => undefined,
  getSlots: () => [],
};

/** The state of every block of a chain, and the way to the next one. */
export class StateStore {
  readonly #committed: CommittedStates;
  readonly #bases = new WeakMap<StateOverlay, Base>();

  /** @throws {Error} when the data on disk is damaged. */
  constructor(db: Database, lateness: Lateness = USUAL_LATENESS) {
    this.#committed = new CommittedStates(db, lateness);
  }

  /** Whether there is a genesis. */
  get initialised(): boolean {
    return this.#committed.head !== undefined;
  }

  /** Number of the newest block on disk. @throws {Error} before `initialise`. */
  get headNumber(): bigint {
    const { head } = this.#committed;
    if (head === undefined) throw new Error('the state has no genesis yet');
    return head;
  }

  /** State root of the newest block on disk. */
  get headRoot(): Hash {
    return this.#committed.root;
  }

  /** Number of the oldest block that `proof` answers for, but where very much changed since. */
  get oldestProof(): bigint {
    const head = this.headNumber;
    return head > PROVABLE_BLOCKS ? head - PROVABLE_BLOCKS : 0n;
  }

  /** Writes the state of block 0, inside the write that stores that block. @returns its root. */
  initialise(w: DbWriter, alloc: Alloc): Hash {
    if (this.initialised) throw new Error(`the state has a genesis already, and ${this.headNumber} blocks after it`);
    const sealed = genesisState(alloc);
    this.#committed.write(w, 0n, sealed);
    return sealed.root;
  }

  /**
   * After block `number`. Reads are synchronous, and unaffected by writes of blocks.
   *
   * @throws {HistoryGone} above the newest block on disk.
   */
  at(number: bigint): StateReader {
    return this.#committed.at(number);
  }

  /** See `StateRows.accountsNow`. */
  accountsNow(): Iterable<readonly Address[]> {
    return this.#committed.accountsNow();
  }

  /** See `StateRows.slotsEver`. */
  slotsEver(address: Address): Iterable<readonly Hash[]> {
    return this.#committed.slotsEver(address);
  }

  /** For the block after the newest on disk, or after a sealed, unwritten one. */
  overlay(parent?: SealedState): StateOverlay {
    const base = parent ?? this.#committed.at(this.headNumber);
    const overlay = new StateOverlay(base);
    this.#bases.set(overlay, base);
    return overlay;
  }

  /**
   * The state with its root. Nothing on disk. The overlay may be written to afterwards.
   *
   * @param overlay Of `overlay`, and no other block was written since.
   */
  seal(overlay: StateOverlay): SealedState {
    const base = this.#bases.get(overlay);
    if (base === undefined) throw new Error('an overlay is sealed that this store did not make');
    return seal(overlay, base);
  }

  /**
   * The root that the state after block `number` would have with changes on top. Nothing is kept.
   *
   * @throws {HistoryGone} as `proof` does.
   */
  rootWith(number: bigint, changes: StateOverlay): Hash {
    return seal(changes, this.#committed.provable(number)).root;
  }

  /** Inside the write that stores the block; in order of numbers. */
  write(w: DbWriter, number: bigint, sealed: SealedState): void {
    this.#committed.write(w, number, sealed);
  }

  /** @throws {HistoryGone} for blocks that are more than `PROVABLE_BLOCKS` back. */
  proof(number: bigint, address: Address, slots: readonly Hash[]): AccountProof {
    return prove(this.#committed.provable(number), address, slots);
  }
}

/** State root of a genesis block with these accounts. */
export function genesisRoot(alloc: Alloc): Hash {
  return genesisState(alloc).root;
}

/** The state of a genesis, in memory. */
export function genesisState(alloc: Alloc): SealedState {
  const overlay = new StateOverlay(NOTHING);
  for (const [address, { balance, nonce = 0n, code, storage }] of alloc) {
    const codeHash = code === undefined || code.length === 0 ? EMPTY_CODE_HASH : overlay.putCode(code);
    overlay.putAccount(address, { nonce, balance, codeHash, storageRoot: EMPTY_ROOT });
    for (const [slot, value] of storage ?? []) overlay.putStorage(address, slot, value);
  }
  return seal(overlay, NOTHING);
}

export { StateOverlay } from '@switchyard/evm-machine/overlay';
export { SealedState } from './sealed.ts';
export { PROVABLE_BLOCKS };
