import type { Activation } from '../app/activations.ts';
import type { RollupAction, RollupDefinition, TransactionFormat } from '../app/definition.ts';
import { contractOf } from './contract.ts';
import type { Actions, AnyRollup } from './definition.ts';
import { decodeBody } from './transaction.ts';

interface Era {
  readonly from: bigint;
  readonly format: TransactionFormat<RollupAction>;
}

/**
 * Actions and migrations that a running chain gets at blocks of their own. In the blocks before, the bytes of a later action
 * are none, as they were for the programs that had never known it.
 */
export function upgradesOf(
  defined: AnyRollup,
  genesis: never,
): Pick<RollupDefinition<RollupAction, never>, 'transactionsAt' | 'activations'> {
  const activations = activationsOf(defined, genesis);
  const eras = erasOf(defined);
  if (eras.length === 1) return activations.length === 0 ? {} : { activations };
  // There is one from the beginning.
  const transactionsAt = (number: bigint) => (eras.findLast(({ from }) => from <= number) ?? (eras[0] as Era)).format;
  return { activations, transactionsAt };
}

/** Formats of transactions, oldest first. */
function erasOf(defined: AnyRollup): readonly Era[] {
  const actions = Object.entries(defined.actions as Actions);
  const begins = [...new Set(actions.map(([, { from = 0n }]) => from))];
  return begins.map((from) => {
    const known = Object.fromEntries(actions.filter(([, action]) => (action.from ?? 0n) <= from));
    const contract = contractOf({ ...defined, actions: known });
    const { typeUrl, maxTransactionBytes: maxBytes } = contract;
    return { from, format: { typeUrl, maxBytes, decodeBody: (bytes) => decodeBody(contract, bytes) } };
  });
}

/** @throws {Error} where two migrations have one block, or one has no block. */
function activationsOf({ actions, migrations = [] }: AnyRollup, genesis: never): readonly Activation[] {
  const added = Object.entries(actions as Actions).flatMap(([kind, { from }]): readonly Activation[] =>
    from === undefined ? [] : [{ name: `action ${kind}`, at: from }],
  );
  const blocks = migrations.map(({ at }) => at);
  for (const at of blocks) {
    if (typeof at !== 'bigint' || at < 1n) throw new Error(`migrations: expected a block from 1 on, got ${at}`);
  }
  if (new Set(blocks).size < blocks.length) throw new Error('migrations: expected one for each block');
  const changes = migrations.map(
    ({ at, run }): Activation => ({ name: `migration at block ${at}`, at, run: (state) => run(state, genesis) }),
  );
  return [...added, ...changes];
}
