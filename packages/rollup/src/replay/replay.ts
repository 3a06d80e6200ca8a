import type { ReplayReport, ReplayStep } from '@switchyard/client';
import { createMemoryStore } from '@switchyard/machine';
import { RollupChain } from '../app/chain.ts';
import type { CommittedBlock } from '../app/commits.ts';
import type { RollupDefinition } from '../app/definition.ts';
import { refusalRows } from '../app/tables.ts';
import type { BlockInput } from '../execution/executor.ts';
import { newTrace, traced } from './trace.ts';

/** Characters of a refusal's message that a block records at least. */
const SURELY_KEPT = 200;

export interface ReplayRange {
  /** First and last block that is reported; those before it are executed too. */
  readonly from: bigint;
  readonly to: bigint;
}

/** A block that was executed again, and its inputs. */
export interface Replayed {
  readonly input: BlockInput;
  readonly report: ReplayReport;
}

/**
 * Executes blocks again, from the genesis on, into a store in memory.
 *
 * @param inputOf The input of a block, from wherever it is kept.
 */
export async function* replay(
  definition: RollupDefinition,
  { from, to }: ReplayRange,
  getInput: (number: bigint) => Promise<BlockInput>,
): AsyncGenerator<Replayed> {
  let trace = newTrace();
  const chain = await RollupChain.open(
    traced(definition, () => trace),
    createMemoryStore(),
  );
  const committed: CommittedBlock[] = [];
  chain.onCommit((_, blocks) => void committed.push(...blocks));
  for (let number = 1n; number <= to; number += 1n) {
    trace = newTrace();
    const input = await getInput(number);
    await chain.executeBatch(chain.view.block.hash, [input], { firm: false });
    const block = committed.pop();
    if (number < from || block === undefined) continue;
    const { hash, stateRoot } = chain.view.block;
    const refusals = refusalRows.get(chain.view.snapshot, number) ?? [];
    const transactions = block.receipts.map(({ hash: transaction, code }, index) => {
      const refused = refusals.find((each) => each.index === index)?.message;
      const runs = trace.runs.get(transaction) ?? [];
      const place = runs.findIndex((run) => endsLike(run, code, refused));
      const [actions = []] = place < 0 ? [] : runs.splice(place, 1);
      return { hash: transaction, code: String(code), refused, actions };
    });
    const sequencerHeight = definition.genesis.sequencerGenesisBlockHeight + number;
    const { deposits } = trace;
    yield {
      input,
      report: {
        number,
        sequencerHeight,
        hash,
        stateRoot,
        deposits,
        transactions,
        stored: undefined,
        inputs: undefined,
      },
    };
  }
}

/** Whether a run is that of a transaction with this outcome. The message of a refusal may be cut, or not recorded. */
function endsLike(run: readonly ReplayStep[], code: number, refused: string | undefined): boolean {
  const end = run.at(-1)?.refused;
  if (code === 0 || end === undefined) return code === 0 && end === undefined;
  return refused === undefined || end.startsWith(refused.slice(0, SURELY_KEPT));
}
