import type { FaultName } from '@switchyard/network/simulate';
import type { RollupName } from './rollups.ts';

/** A defect that is planted into one compiled file of ours. */
export interface Mutant {
  readonly name: string;
  /** The messenger, if absent. */
  readonly rollup?: RollupName;
  /** Path below `packages`. */
  readonly file: string;
  /** Text that occurs in it, and its replacement. */
  readonly find: string;
  readonly replace: string;
  /** Rules of the simulation of which one has to fail. */
  readonly rules: readonly string[];
  /** Seed that found it when it was written, which is tried first. */
  readonly seed: number;
  /** Kinds of faults that show it, if all kinds together seldom do; all, if absent. */
  readonly faults?: readonly FaultName[];
}

const NOT_FIRM = 'acknowledged is firm';
const TWICE = 'sequenced once';
const FORK = 'no fork';
const IN_PART = 'bundles are whole';

/** Planted defects, each of which the simulation has to find. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a flush left out',
    file: 'composer/dist/queue/lmdb-records.js',
    find: "keys: 'text', onDamage }",
    replace: "keys: 'text', onDamage, isReplayed: true }",
    rules: [NOT_FIRM, TWICE, IN_PART],
    seed: 5,
    faults: ['power'],
  },
  {
    name: 'an acknowledgement before the write',
    file: 'composer/dist/intake/intake.js',
    find: 'await written;',
    replace: 'void written.catch(() => undefined);',
    rules: [NOT_FIRM],
    seed: 9,
    faults: ['kill', 'power'],
  },
  {
    name: 'a bundle under way that a crash forgets',
    file: 'composer/dist/bundles/submitter.js',
    find: 'this.#sender.resume(bundles)',
    replace: 'this.#sender.resume([])',
    rules: [TWICE],
    seed: 1,
  },
  {
    name: 'a bundle that is sent before it is recorded',
    file: 'composer/dist/bundles/sender.js',
    find: 'await journal.putBundle(bundle);',
    replace: 'void journal.putBundle(bundle).catch(() => undefined);',
    rules: [TWICE],
    seed: 3,
    faults: ['kill', 'power'],
  },
  {
    name: 'an atomic bundle that is divided',
    file: 'composer/dist/queue/backlog.js',
    find: 'if (!continuesGroup(item) && !fits(item))',
    replace: 'if ((continuesGroup(item) && to > range.from) || !fits(item))',
    rules: [IN_PART],
    seed: 1,
  },
  {
    name: 'an atomic bundle in another order',
    file: 'composer/dist/queue/items.js',
    find: 'items.push(',
    replace: 'items.unshift(',
    rules: [IN_PART],
    seed: 1,
  },
  {
    name: 'a submission that is taken a second time',
    file: 'composer/dist/intake/intake.js',
    find: 'copies === undefined ? all : withoutCopies',
    replace: 'copies !== undefined ? all : withoutCopies',
    rules: [TWICE],
    seed: 4,
  },
  {
    name: 'a commitment that goes back',
    file: 'rollup/dist/app/chain.js',
    find: 'firm: firmBlock.number, lowest',
    replace:
      'firm: firmBlock.number % 5n === 0n && firmBlock.number > 2n ? firmBlock.number - 2n : firmBlock.number, lowest',
    // A conductor may find it first, and ends.
    rules: ['commitments never go back', 'no part ends on its own'],
    seed: 1,
  },
  {
    name: 'an order in a block that depends on the node',
    file: 'rollup/dist/app/execute-block.js',
    find: 'executeTransactions(definition, state, entries, timestamp, context)',
    replace:
      "executeTransactions(definition, state, entries.some((each) => each.kind === 'sequencedData' && context.known(txHashOf(each.data))) ? [...entries].reverse() : entries, timestamp, context)",
    rules: [FORK],
    seed: 1,
    faults: ['duplicate', 'weather'],
  },
  {
    // The usual clocks throw there, before two nodes differ.
    name: 'the time of day in a handler',
    file: 'messenger/dist/actions/send-text.js',
    find: 'debit(context.state, context.signer, feeAsset.id, TEXT_FEE)',
    replace: 'debit(context.state, context.signer, feeAsset.id, TEXT_FEE + BigInt(process.hrtime()[1] % 2))',
    rules: [FORK, 'no part ends on its own'],
    seed: 1,
    faults: ['kill'],
  },
  {
    name: 'a lost wake-up',
    file: 'composer/dist/intake/intake.js',
    find: 'this.#writing = false;\n    }',
    replace: '}',
    rules: ['serves again', 'claims are paid once'],
    seed: 1,
  },
  {
    name: 'a queue without a bound',
    file: 'composer/dist/intake/intake.js',
    find: 'if (backlog.count + items.length > maxItems)',
    replace: 'if (false)',
    rules: ['queues are bounded'],
    seed: 2,
    faults: ['cut', 'kill'],
  },
  {
    name: 'a deposit that is credited twice',
    file: 'messenger/dist/messenger.js',
    find: 'credit(state, account, parseDenom(asset).id, amount);',
    replace: 'credit(state, account, parseDenom(asset).id, amount % 7n === 0n ? 2n * amount : amount);',
    rules: ['the rules of the rollup'],
    seed: 1,
  },
  {
    name: 'data of a block that is not verified',
    file: 'client/dist/verify/block-verifier.js',
    find: 'verifyFilteredBlock(block, wanted);',
    replace: '',
    rules: [FORK],
    seed: 5,
    faults: ['lie'],
  },
  {
    name: 'an acknowledgement before the composer has it',
    rollup: 'evm',
    file: 'evm/dist/pool/create-pool.js',
    find: 'return answered;',
    replace: 'void answered.catch(() => undefined);\n        return tx.hash;',
    rules: [NOT_FIRM],
    seed: 1,
  },
];
