import { type ReplayReport, sequencerClient } from '@switchyard/client';
import { txHashFromHex } from '@switchyard/protocol';
import { exactJsonText, type ProcessContext, readTextFile, runProcess } from '@switchyard/service';
import {
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
import type { RollupAction, RollupDefinition } from '../app/definition.ts';
import { withSequencerChain } from '../app/genesis.ts';
import { type ReplayRange, replay } from './replay.ts';
import { sequencerInputs } from './sequencer-inputs.ts';
import { type StoredBlocks, withStored } from './stored.ts';

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
  ...standardFields('REPLAY_', '127.0.0.1:0'),
};

type Config = ConfigOf<typeof replayFields>;

/**
 * Runs the program of a replay: executes a rollup's blocks again, and logs a report for each block that is asked for.
 *
 * @param define As `startRollup` takes it.
 */
export function replayProgram<A extends RollupAction, E>(
  define: (text: string, file: string) => RollupDefinition<A, E>,
): Promise<void> {
  return runProcess({ name: 'replay', fields: replayFields, main: (config, context) => run(define, config, context) });
}

async function run<A extends RollupAction, E>(
  define: (text: string, file: string) => RollupDefinition<A, E>,
  config: Config,
  { log, defer }: ProcessContext,
): Promise<'done'> {
  const { genesisFilepath: file, sequencerRpcUrl: rpcUrl, sequencerGrpcUrl: grpcUrl } = config;
  const defined = define(await readTextFile(file, 'GENESIS_FILEPATH', 'a genesis file', MAX_GENESIS_BYTES), file);
  const definition = { ...defined, genesis: withSequencerChain(defined.genesis, config.sequencerChainId, file) };
  const client = sequencerClient({ rpcUrl, grpcUrl });
  defer(() => client.close());
  const execute = async (stored: StoredBlocks | undefined): Promise<void> => {
    const range = await rangeOf(config, stored);
    const inputs = sequencerInputs(client, definition.genesis, range.to);
    for await (const { input, report } of replay(definition, range, inputs)) {
      const { number } = report;
      const compared = { ...report, stored: stored?.block(number), inputs: stored?.inputs(number, input) };
      log.info({ report: exactJsonText(compared satisfies ReplayReport) }, 'block executed again');
    }
  };
  await (config.dbFilepath === undefined ? execute(undefined) : withStored(config.dbFilepath, execute));
  log.info({ done: 'done' }, 'replay is over');
  return 'done';
}

/** @throws {Error} for a block or a transaction that the database does not have. */
async function rangeOf(
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
