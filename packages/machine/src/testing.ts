import {
  type AccountId,
  type AssetId,
  accountIdFromBytes,
  assetIdFromTrace,
  type Timestamp,
  type TxHash,
  txHashOf,
} from '@switchyard/protocol';
import { balances, nonces } from './accounts.ts';
import type { ActionHandler } from './action.ts';
import { createMemoryStore } from './store/memory.ts';
import type { Overlay } from './store/overlay.ts';
import type { StateWriter } from './store/state.ts';
import type { Layer, Store } from './store/store.ts';

export const alice: AccountId = accountIdFromBytes(new Uint8Array(20).fill(0xa1));
export const bob: AccountId = accountIdFromBytes(new Uint8Array(20).fill(0xb0));
export const carol: AccountId = accountIdFromBytes(new Uint8Array(20).fill(0xca));

export const NRIA: AssetId = assetIdFromTrace('nria');
export const NTIA: AssetId = assetIdFromTrace('ntia');

export const TEST_TIME: Timestamp = { seconds: 1_700_000_000n, nanos: 0 };

/** A different transaction hash for every number. */
export function testTxHash(number: number): TxHash {
  return txHashOf(new TextEncoder().encode(`test transaction ${number}`));
}

export interface TestChainOptions {
  readonly balances?: ReadonlyArray<readonly [AccountId, AssetId, bigint]>;
  /** Any other first state. */
  readonly genesis?: (state: StateWriter) => void;
  readonly time?: Timestamp;
}

/** A chain in memory, for tests of handlers: one block in progress that actions run on. */
export interface TestChain {
  readonly store: Store;
  /** Height of the block in progress. */
  readonly height: bigint;
  readonly state: Overlay;
  /**
   * Checks and runs one action as a separate transaction, without nonce and fees.
   *
   * @returns its events. When it throws, the state is as before.
   */
  run<A, Event>(handler: ActionHandler<A, Event>, signer: AccountId, action: A): Event[];
  balance(account: AccountId, asset?: AssetId): bigint;
  nonce(account: AccountId): number;
  /** Ends the block and begins the next. */
  seal(): Layer;
}

export function testChain(options: TestChainOptions = {}): TestChain {
  return new MemoryChain(options);
}

class MemoryChain implements TestChain {
  readonly store = createMemoryStore();
  height = 1n;
  state = this.store.begin();
  readonly #time: Timestamp;
  #transactions = 0;

  constructor({ balances: held = [], genesis, time = TEST_TIME }: TestChainOptions) {
    this.#time = time;
    for (const [account, asset, amount] of held) balances.put(this.state, [account, asset], amount);
    genesis?.(this.state);
  }

  run<A, Event>(handler: ActionHandler<A, Event>, signer: AccountId, action: A): Event[] {
    handler.check(action);
    const state = this.state.child();
    const events: Event[] = [];
    handler.execute(action, {
      state,
      signer,
      height: this.height,
      time: this.#time,
      tx: testTxHash(this.#transactions++),
      index: 0,
      emit: (event) => {
        events.push(event);
      },
    });
    state.apply();
    return events;
  }

  balance(account: AccountId, asset: AssetId = NRIA): bigint {
    return balances.get(this.state, [account, asset]);
  }

  nonce(account: AccountId): number {
    return nonces.get(this.state, account);
  }

  seal(): Layer {
    const layer = this.store.seal(this.state, this.height);
    this.height += 1n;
    this.state = this.store.begin();
    return layer;
  }
}
