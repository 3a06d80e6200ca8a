import { applyTransaction } from '../../embedded/apply.ts';
import { storeBeaconRoot } from '../../embedded/beacon-roots.ts';
import { cancunRules, Interpreter } from '../../embedded/interpreter.ts';
import { ZERO_HASH } from '../../hex.ts';
import type { Fork } from '../../interpreter/fork.ts';
import type { BlockValues } from '../../interpreter/values.ts';
import { checkTransaction } from '../../rules.ts';
import { recoverSender } from '../../senders/recover.ts';
import type { StateOverlay } from '../../state/overlay.ts';
import { InvalidTransaction, type Transaction } from '../../transaction.ts';
import type { Hash, Log } from '../../types.ts';

/* All that the public tests and the random blocks know of the code that they test. */

/** A block whose transactions are executed. */
export interface TestBlock extends BlockValues {
  readonly fork: Fork;
  readonly chainId: bigint;
  /** EIP-4788; undefined where the block is no more than an environment, without the protocol's own calls. */
  readonly parentBeaconBlockRoot: Hash | undefined;
  readonly blockHash: (number: bigint) => Hash | undefined;
}

export type Applied =
  | { readonly kind: 'applied'; readonly status: 0 | 1; readonly gasUsed: bigint; readonly logs: readonly Log[] }
  /** By a rule of Ethereum. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Because this node does not take such transactions. */
  | { readonly kind: 'not taken'; readonly reason: string };

export interface Engine {
  /** What precedes the first transaction of a block. */
  begin(): Promise<void>;
  apply(raw: Uint8Array, gasLeft: bigint): Promise<Applied>;
}

/** Of those that the node executes. */
export const TESTED_FORKS: readonly Fork[] = ['cancun'];

/** Executes on `state`, with the node's own checks. */
export function openEngine(block: TestBlock, state: StateOverlay): Engine {
  const environment = {
    ...block,
    baseFee: block.baseFeePerGas ?? 0n,
    parentBeaconBlockRoot: block.parentBeaconBlockRoot ?? ZERO_HASH,
  };
  const interpreter = new Interpreter(cancunRules(block.chainId), state, environment);
  return {
    async begin() {
      if (block.parentBeaconBlockRoot !== undefined) await storeBeaconRoot(state, environment, interpreter, false);
    },
    async apply(raw, gasLeft) {
      const tx = checked(raw, block);
      if ('kind' in tx) return tx;
      const from = recoverSender(tx.signature);
      if (from === undefined) return { kind: 'refused', reason: 'no sender' };
      const outcome = await applyTransaction(tx, from, {
        state,
        block: environment,
        gasLeft,
        interpreter,
        direct: true,
      });
      return 'code' in outcome ? { kind: 'refused', reason: outcome.reason } : { kind: 'applied', ...outcome };
    },
  };
}

function checked(raw: Uint8Array, chain: TestBlock): Transaction | Applied {
  try {
    return checkTransaction(raw, chain);
  } catch (error) {
    if (!(error instanceof InvalidTransaction)) throw error;
    const isOurs = error.code === 'blob-transaction' || error.code === 'too-large' || raw[0] === 4;
    return { kind: isOurs ? 'not taken' : 'refused', reason: error.message };
  }
}
