import type { Snapshot } from '@switchyard/machine';
import { type AssetId, parseDenom } from '@switchyard/protocol';
import { failureText } from './failure-text.ts';
import type { RollupNode } from './node.ts';
import { depositRows } from './tables.ts';
import { bridgeSheets } from './withdrawals.ts';

/** Sums of a rollup that hold after a block. */
export interface InvariantFacts {
  /** The newest block. */
  readonly block: bigint;
  /** Sum of the deposits of an asset that were credited. */
  deposited(asset: AssetId): bigint;
  /** Sum of the withdrawals of an asset. */
  withdrawn(asset: AssetId): bigint;
}

/** Rules of the state after a block: a rule is violated if it throws or returns false. */
export type Invariants = Readonly<Record<string, (state: Snapshot, facts: InvariantFacts) => boolean | undefined>>;

/** Looks at the state of a node, now and after each commit, and at bugs of its handlers. @param report Takes the name of a rule that does not hold, and why. */
export function watchInvariants(
  node: RollupNode,
  invariants: Invariants,
  report: (name: string, why: string) => void,
): void {
  const look = ({ snapshot, soft }: RollupNode['view']): void => {
    const facts = factsOf(node, snapshot, soft);
    for (const [name, holds] of Object.entries(invariants)) {
      try {
        if (holds(snapshot, facts) === false) report(name, `after block ${soft} it does not hold`);
      } catch (error) {
        report(name, `after block ${soft}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  look(node.view);
  node.onCommit((view, committed) => {
    for (const { number, bugs, hookFailure } of committed) {
      const error = bugs[0]?.refused.cause ?? hookFailure;
      if (error !== undefined) report('no handler has a bug', `block ${number}: ${failureText(error)}`);
    }
    look(view);
  });
}

function factsOf({ genesis: { withdrawals = [] } }: RollupNode, snapshot: Snapshot, block: bigint): InvariantFacts {
  const sum = (amounts: readonly bigint[]) => amounts.reduce((one, other) => one + other, 0n);
  return {
    block,
    deposited(asset) {
      const credited = [...depositRows.range(snapshot, { limit: Number.MAX_SAFE_INTEGER })].filter(
        ([, row]) => row.account !== '',
      );
      return sum(credited.flatMap(([, row]) => (parseDenom(row.asset).id === asset ? [row.amount] : [])));
    },
    withdrawn(asset) {
      const rules = withdrawals.filter(({ assetId }) => assetId === asset);
      return sum(rules.map(({ bridge }) => bridgeSheets.get(snapshot, bridge.account).withdrawn));
    },
  };
}
