import type { AccessRecorder } from '@switchyard/evm-machine/access-lists/recorder';
import { EMPTY_CODE_HASH } from '@switchyard/evm-machine/account';
import { isDelegation } from '@switchyard/evm-machine/delegation';
import { execute } from '@switchyard/evm-machine/execute';
import { FORKS, type Fork, includes } from '@switchyard/evm-machine/fork';
import type { MachineOptions } from '@switchyard/evm-machine/interface';
import type { StateOverlay } from '@switchyard/evm-machine/overlay';
import { readyPrecompiles } from '@switchyard/evm-machine/precompiles';
import { recoverSender } from '@switchyard/evm-machine/recover';
import { getRules } from '@switchyard/evm-machine/rules';
import type { Address, Hash, Log } from '@switchyard/evm-machine/types';
import type { BlockValues, Outcome } from '@switchyard/evm-machine/values';
import { ZERO_HASH } from '@switchyard/protocol/ethereum';
import { applyTransaction } from '../../embedded/apply.ts';
import { storeBeaconRoot } from '../../embedded/beacon-roots.ts';
import type { GasLeft } from '../../rules/block-gas.ts';
import { checkTransaction, leastGas, senderRefusal, statefulRefusal } from '../../rules/rules.ts';
import { NEW_ACCOUNT } from '../../transactions/accounts.ts';
import { effectivePrice } from '../../transactions/price.ts';
import { decodeTransaction, InvalidTransaction, type Transaction } from '../../transactions/transaction.ts';

/* All that the public tests and the random blocks know of the code that they test. */

/** A block whose transactions are executed. */
export interface TestBlock extends BlockValues {
  readonly fork: Fork;
  readonly chainId: bigint;
  /** EIP-4788; undefined if the block is no more than an environment, without the protocol's own calls. */
  readonly parentBeaconBlockRoot: Hash | undefined;
  readonly blockHash: (number: bigint) => Hash | undefined;
}

export type Applied =
  | ({ readonly kind: 'applied'; readonly status: 0 | 1; readonly logs: readonly Log[] } & Pick<
      Outcome,
      'gasUsed' | 'blockGas'
    >)
  /** Refused by a rule of Ethereum. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Because this node does not take such transactions. */
  | { readonly kind: 'not taken'; readonly reason: string };

export interface Engine {
  /** Makes the calls that precede the first transaction of a block. */
  begin(): Promise<void>;
  apply(raw: Uint8Array, left: GasLeft): Promise<Applied>;
}

export const TESTED_FORKS: readonly Fork[] = FORKS;

/**
 * Executes on `state`. If the node could make the block, that is the node's way of applying transactions, with
 * its short cut for transfers; else, as in other forks, the interpreter alone.
 */
export function openEngine(block: TestBlock, state: StateOverlay, recorder?: AccessRecorder): Engine {
  const { fork, prevRandao, parentBeaconBlockRoot } = block;
  const baseFee = block.baseFeePerGas ?? 0n;
  const isOfNode = includes(fork, 'cancun') && prevRandao === ZERO_HASH && block.blobBaseFee === 1n;
  const machine: MachineOptions = { ...block, state, block, recorder, isOfMany: isOfNode };
  const node = { ...machine, direct: true };
  return {
    async begin() {
      await readyPrecompiles();
      if (parentBeaconBlockRoot !== undefined) storeBeaconRoot(node, parentBeaconBlockRoot);
    },
    async apply(raw, { gasLeft, stateGasLeft }) {
      const left = { gasLeft, stateGasLeft };
      await readyPrecompiles();
      const tx = checked(raw, block);
      if ('kind' in tx) return tx;
      const from = recoverSender(tx.signature);
      if (from === undefined) return { kind: 'refused', reason: 'no sender' };
      const refused = senderRefusal(tx, fork, from);
      if (refused !== undefined) return { kind: 'refused', reason: refused.reason };
      const outcome = isOfNode
        ? applyTransaction(tx, from, { ...node, ...left, bytesLeft: Number.POSITIVE_INFINITY })
        : interpret(tx, from, left);
      return 'code' in outcome ? { kind: 'refused', reason: outcome.reason } : { kind: 'applied', ...outcome };
    },
  };

  function interpret(tx: Transaction, from: Address, left: GasLeft) {
    const { nonce, balance, codeHash } = state.account(from) ?? NEW_ACCOUNT;
    const hasCode = codeHash !== EMPTY_CODE_HASH && !isDelegation(state.code(codeHash));
    const sender = { nonce, balance, hasCode };
    const refused = statefulRefusal(tx, sender, { baseFee, ...left });
    if (refused !== undefined) return refused;
    const ended = execute(machine, { ...tx, from, gasPrice: effectivePrice(tx, baseFee) }).run();
    const status: 0 | 1 = ended.failure === undefined ? 1 : 0;
    return { status, gasUsed: ended.gasUsed, blockGas: ended.blockGas, logs: ended.logs };
  }
}

/** The node's checks if it has the fork; differences of others stand here. */
function checked(raw: Uint8Array, block: TestBlock): Transaction | Applied {
  const since = (fork: Fork) => includes(block.fork, fork);
  const refused = (reason: string): Applied => ({ kind: 'refused', reason });
  try {
    if (since('cancun')) return checkTransaction(raw, block);
    const tx = decodeTransaction(raw);
    if ((tx.type === 1 && !since('berlin')) || (tx.type === 2 && !since('london'))) return refused(`type ${tx.type}`);
    if (tx.gasLimit < leastGas(tx, block.fork, undefined).intrinsic) return refused('intrinsic gas');
    if (tx.to === undefined && tx.data.length > getRules(block.fork).maxInitCodeBytes) return refused('init code');
    return tx;
  } catch (error) {
    if (!(error instanceof InvalidTransaction)) throw error;
    const isOurs = error.code === 'blob-transaction' || error.code === 'too-large';
    return { kind: isOurs ? 'not taken' : 'refused', reason: error.message };
  }
}
