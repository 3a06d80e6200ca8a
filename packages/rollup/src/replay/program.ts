import { type ReplayReport, sequencerClient } from '@switchyard/client';
import { txHashFromHex } from '@switchyard/protocol';
import { exactJsonText, type ProcessContext, readTextFile, runProcess } from '@switchyard/service';
import {
  bool,
  type ConfigOf,
  field,
  httpUrl,
  optional,
  parser,
  path,
  standardFields,
  unsigned,
} from '@switchyard/service/settings';
import { rollupFields } from '../app/config.ts';
import type { RollupDefinition } from '../app/definition.ts';
import type { RunningChain } from '../app/definition-origin.ts';
import { mustNameSequencer } from '../app/genesis.ts';
import type { Define } from '../app/start.ts';
import { adoptedBy } from '../define/adopt.ts';
import { type AnyRollup, definitionIn } from '../define/definition.ts';
import { blocksIn } from '../define/eras.ts';
import { rollupProcess } from '../define/process.ts';
import { toRollup } from '../define/rollup-of.ts';
import type { BlockInput } from '../execution/executor.ts';
import { type ReplayRange, replay } from './replay.ts';
import { sequencerInputs } from './sequencer-inputs.ts';
import { type StoredBlocks, storedChain, withStored } from './stored.ts';

export { exportDatabase } from './stored.ts';

const MOST_EMPTY_BLOCKS = 100_000n;
const MAX_GENESIS_BYTES = 16 * 1_048_576;
const block = unsigned(64, { min: 1n });
const transaction = parser('64 hex digits', '00'.repeat(32), (text) =>
  /^[0-9a-f]{64}$/.test(text) ? txHashFromHex(text) : undefined,
);

/** Settings of a replay; `switchyard replay` makes them. */
export const replayFields = {
  genesisFilepath: rollupFields.genesisFilepath,
  sequencerChainId: rollupFields.sequencerChainId,
  dbFilepath: field('DB_FILEPATH', optional(path), { help: 'database of a node, to compare with; it may be in use' }),
  sequencerRpcUrl: field('REPLAY_SEQUENCER_RPC_URL', httpUrl, { help: 'CometBFT RPC of a sequencer' }),
  sequencerGrpcUrl: field('REPLAY_SEQUENCER_GRPC_URL', httpUrl, { help: 'gRPC of the same node' }),
  from: field('REPLAY_FROM', optional(block), { help: 'first block that is reported (default: the last one)' }),
  to: field('REPLAY_TO', optional(block), { help: 'last block (default: the newest of the database)' }),
  transaction: field('REPLAY_TRANSACTION', optional(transaction), { help: 'in place of both: one in the database' }),
  rehearses: field('REPLAY_REHEARSE', bool, {
    help: 'then execute empty blocks up to the last one at which the definition changes',
    fallback: 'false',
  }),
  ...standardFields('REPLAY_', '127.0.0.1:0'),
};

type Config = ConfigOf<typeof replayFields>;

/** `running` is the chain whose blocks are executed again, if there is a database. */
type ReplayDefine = (...given: [...Parameters<Define>, running: RunningChain | undefined]) => RollupDefinition;

/** The rollup that a module exports: made by `defineRollup`, or a function `define` as `startRollup` takes it. @throws {Error} */
export function defineOf(module: object): ReplayDefine {
  if ('define' in module && typeof module.define === 'function') return module.define as Define;
  const defined = definitionIn(module);
  return (text, file, chain, running) => toRollup(takenBy(running, defined), text, file, chain);
}

/** The definition as a chain has taken it. @throws {Error} if it cannot. */
function takenBy(running: RunningChain | undefined, defined: AnyRollup): AnyRollup {
  if (running === undefined) return defined;
  const { definition, refused } = adoptedBy(defined, running);
  if (refused.length === 0) return definition;
  throw new Error(`expected a definition that can execute the stored blocks, got one in which ${refused.join('; ')}`);
}

/**
 * A program of the rollup that a module exports: a node, or a replay of its blocks.
 *
 * @param running Database of a node, which may be in use, or nothing: the definition is as its chain has taken it.
 * @throws {Error} for a module that exports no rollup.
 */
export function getProgram(module: object, program: 'node' | 'replay', running: string): () => Promise<void> {
  if (program === 'replay') {
    const define = defineOf(module);
    return () => replayProgram(define);
  }
  const defined = definitionIn(module);
  return async () => {
    const chain = running === '' ? undefined : await storedChain(running);
    return runProcess(rollupProcess(takenBy(chain, defined)));
  };
}

/**
 * Runs the program of a replay: executes a rollup's blocks again, and sends a report of each requested block to its starter.
 *
 * @param define As `startRollup` takes it.
 */
export function replayProgram(define: ReplayDefine): Promise<void> {
  return runProcess({ name: 'replay', fields: replayFields, main: (config, context) => run(define, config, context) });
}

async function run(
  define: ReplayDefine,
  config: Config,
  { log, defer, sendToParent }: ProcessContext,
): Promise<'done'> {
  const { genesisFilepath: file, sequencerRpcUrl: rpcUrl, sequencerGrpcUrl: grpcUrl } = config;
  const text = await readTextFile(file, 'GENESIS_FILEPATH', 'a genesis file', MAX_GENESIS_BYTES);
  const client = sequencerClient({ rpcUrl, grpcUrl });
  defer(() => client.close());
  const execute = async (stored: StoredBlocks | undefined): Promise<void> => {
    const definition = define(text, file, config.sequencerChainId, stored?.running);
    mustNameSequencer(definition.genesis, file);
    const range = await toRange(config, stored);
    const rehearsed = config.rehearses ? upgradesAfter(definition, range.to) : [];
    const to = rehearsed.at(-1) ?? range.to;
    const inputs = thenEmpty(sequencerInputs(client, definition.genesis, range.to), range.to);
    for await (const { input, report } of replay(definition, { ...range, to }, inputs)) {
      const { number } = report;
      if (number > range.to && !rehearsed.includes(number)) continue;
      const compared = { ...report, stored: stored?.block(number), inputs: stored?.inputs(number, input) };
      log.info({ number }, 'block executed again');
      await sendToParent?.({ report: exactJsonText(compared satisfies ReplayReport) });
    }
  };
  await (config.dbFilepath === undefined ? execute(undefined) : withStored(config.dbFilepath, execute));
  log.info('replay is over');
  await sendToParent?.({ done: 'done' });
  return 'done';
}

/** Blocks after a block at which the rules change. @throws {Error} if the last one is too far away. */
function upgradesAfter({ schemas }: Pick<RollupDefinition, 'schemas'>, last: bigint): readonly bigint[] {
  const blocks = blocksIn(JSON.parse(schemas?.document ?? '{}')).filter((block) => block > last);
  const most = last + MOST_EMPTY_BLOCKS;
  if (blocks.some((block) => block > most))
    throw new Error(`the upgrade at block ${blocks.at(-1)}: expected at most ${most} to rehearse it`);
  return blocks;
}

/** The inputs, and empty blocks after the last of them. */
function thenEmpty(getInput: (number: bigint) => Promise<BlockInput>, last: bigint) {
  let time = { seconds: 0n, nanos: 0 };
  return async (number: bigint): Promise<BlockInput> => {
    if (number > last) {
      time = { ...time, seconds: time.seconds + 1n };
      return { entries: [], timestamp: time, sequencerBlockHash: '00'.repeat(32) };
    }
    const input = await getInput(number);
    time = input.timestamp;
    return input;
  };
}

/** @throws {Error} for a block or a transaction that the database does not have. */
async function toRange(
  { from, to, transaction: hash }: Config,
  stored: StoredBlocks | undefined,
): Promise<ReplayRange> {
  if (hash !== undefined) {
    const number = await stored?.find(hash);
    if (number === undefined) throw new Error(`transaction ${hash}: expected one in a block of the database`);
    return { from: number, to: number };
  }
  const last = to ?? stored?.soft ?? 0n;
  if (stored !== undefined && last > stored.soft) {
    throw new Error(`block ${last}: expected at most ${stored.soft}, the newest block of the database`);
  }
  return { from: from ?? last, to: last };
}
