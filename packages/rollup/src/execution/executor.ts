import type {
  BlockMetadata,
  CommitmentState,
  Deposit,
  FirmMeaning,
  SessionParameters,
  Timestamp,
} from '@switchyard/protocol';
import { turn } from '@switchyard/service';

/**
 * Height of the layer at which the newest firm block was found; undefined if firm does not mean that the layer has it.
 *
 * @param lowest The height that readers begin at, which moves with each firm block.
 */
export function firmLayerHeight(firmMeaning: FirmMeaning | undefined, lowest: bigint): bigint | undefined {
  return firmMeaning === 'posted' ? lowest : undefined;
}

/** One entry of a sequencer block's data for this rollup. Anybody can put any bytes there. */
export type BlockEntry =
  | { readonly kind: 'sequencedData'; readonly data: Uint8Array }
  | { readonly kind: 'deposit'; readonly deposit: Deposit }
  /** An entry of a kind, or in a form, that this version does not know. */
  | { readonly kind: 'unknown' };

/** Input of a rollup block. Equal input on an equal parent gives an equal block. */
export interface BlockInput {
  /** In the order of the sequencer block. */
  readonly entries: readonly BlockEntry[];
  readonly timestamp: Timestamp;
  /** 64 hex digits. */
  readonly sequencerBlockHash: string;
  /** Input digest of this block and all below it, kept with the block; it has no part in the block's content. */
  readonly digest?: Uint8Array;
}

export type BlockQuery = { readonly number: bigint } | { readonly hash: string };

/** State that a conductor gets at the start of a session. */
export interface ExecutionState {
  readonly parameters: SessionParameters;
  readonly commitments: CommitmentState;
  /** Evidence that made its firm blocks firm; undefined until a conductor that states its level has made a block firm. */
  readonly firmMeaning: FirmMeaning | undefined;
}

export interface BatchOptions {
  readonly firm: boolean;
  /** See {@link Commitments}. */
  readonly firmMeaning?: FirmMeaning | undefined;
}

/**
 * A rollup as its conductor drives it.
 *
 * The calls come one after another and have passed the session rules: `parent` is the hash of the soft block,
 * commitments do not go back, and a block they name is a block that `block` or `execute` has answered.
 */
export interface Executor {
  state(): Promise<ExecutionState>;
  /** A block on the way to the soft one, or one executed since and not yet committed. */
  block(query: BlockQuery): Promise<BlockMetadata | undefined>;
  /** The digest that came with a committed block; undefined if none was kept. */
  inputDigest(number: bigint): Promise<Uint8Array | undefined>;
  /** Moves no pointer and leaves nothing on disk. Executing again, also after a restart, gives the same block. */
  execute(parent: string, input: BlockInput): Promise<BlockMetadata>;
  /** Executes all in order, the first on `parent`, then commits the last as soft, and as firm too if requested. */
  executeBatch(parent: string, inputs: readonly BlockInput[], options: BatchOptions): Promise<ExecutedBatch>;
  /** Moves the pointers, with all that lies behind them on disk when it resolves. Repeating it changes nothing. */
  commit(commitments: Commitments): Promise<CommitmentState>;
}

/** Thrown while the program that executes blocks is away. The same call may succeed later; nothing has changed. */
export class ExecutorAway extends Error {
  override readonly name = 'ExecutorAway';
}

/** Thrown for a block that cannot be executed, because of a bug. Its message goes to the conductor. */
export class BlockFailed extends Error {
  override readonly name = 'BlockFailed';
}

export interface ExecutedBatch {
  readonly blocks: readonly BlockMetadata[];
  readonly commitments: CommitmentState;
}

/** Targets of the commitments, by block hash. */
export interface Commitments {
  readonly soft: string;
  readonly firm: string;
  readonly lowestCelestiaSearchHeight: bigint;
  /** Evidence that makes the firm block firm, kept in the same write. Absent: the kept one stays. */
  readonly firmMeaning?: FirmMeaning | undefined;
}

/** The blocks of a batch, each on the one before it, and the commitment to the last. */
export async function executeInTurn(
  executor: Pick<Executor, 'state' | 'commit'>,
  stage: (input: BlockInput) => Promise<BlockMetadata>,
  inputs: readonly BlockInput[],
  { firm, firmMeaning }: BatchOptions,
): Promise<ExecutedBatch> {
  const blocks: BlockMetadata[] = [];
  for (const input of inputs) {
    if (blocks.length > 0) await turn();
    blocks.push(await stage(input));
  }
  const { commitments: current } = await executor.state();
  const { lowestCelestiaSearchHeight } = current;
  const soft = blocks.at(-1)?.hash ?? current.soft.hash;
  const next = { soft, firm: firm ? soft : current.firm.hash, lowestCelestiaSearchHeight, firmMeaning };
  return { blocks, commitments: await executor.commit(next) };
}
