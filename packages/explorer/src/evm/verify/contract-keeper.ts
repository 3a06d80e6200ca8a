import { type Clock, exactJsonText, RateLimit } from '@switchyard/service';
import type { IndexStore } from '../../store/store.ts';
import { type ContractRecord, findContract, getInputHash, saveContract, storedBytes } from './records.ts';
import type { StandardInput } from './standard-input.ts';
import { NotVerified } from './verify-contract.ts';

/** Bound on the sources and ABIs of all contracts. */
const MAX_STORED_BYTES = 2 * 1_073_741_824;
/** Bytes of sources and ABIs that are kept for one client address. */
const OF_CLIENT = { perSecond: 1_000, burst: 64 * 1_048_576, maxClients: 10_000 };

interface KeeperDeps {
  readonly store: Pick<IndexStore, 'read' | 'write'>;
  readonly clock: Clock;
  readonly maxStoredBytes?: number;
}

/** Decides which verified contracts are kept: sending sources costs the sender nothing. */
export class ContractKeeper {
  readonly #deps: KeeperDeps;
  readonly #ofClients = new RateLimit(OF_CLIENT);
  /** Undefined until it is counted. */
  #storedBytes: number | undefined;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  /**
   * Keeps a contract, if nothing as good is kept of the same code: comments and names of one user do not replace those
   * of another.
   *
   * @throws {NotVerified} if it is not kept, with the reason.
   */
  async keep(record: Omit<ContractRecord, 'inputHash'>, input: StandardInput, client: string): Promise<void> {
    const { store, clock, maxStoredBytes = MAX_STORED_BYTES } = this.#deps;
    const known = await findContract(store, record.rollup, record.address);
    if (known?.codeHash === record.codeHash && (known.kind === 'full' || record.kind === 'partial')) {
      if (known.inputHash === getInputHash(input)) return;
      throw new NotVerified(
        `other sources with a ${known.kind} match are kept already; only a full match replaces a partial one`,
      );
    }
    const bytes = Buffer.byteLength(exactJsonText(input)) + Buffer.byteLength(record.abi);
    this.#storedBytes ??= await storedBytes(store);
    if (this.#storedBytes + bytes > maxStoredBytes)
      throw new NotVerified(`sources of contracts: at most ${maxStoredBytes} bytes are kept here, and they are full`);
    if (!this.#ofClients.take(client, bytes, clock.now()))
      throw new NotVerified(`sources of contracts: at most ${OF_CLIENT.burst} bytes are kept at once for one address`);
    await saveContract(store, record, input);
    this.#storedBytes += bytes;
  }
}
