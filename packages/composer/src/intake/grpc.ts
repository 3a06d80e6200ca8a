import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { type RollupId, rollupIdFromBytes, type TxHash, txHashBytes, txHashFromBytes } from '@switchyard/protocol';
import { composer, ownComposer } from '@switchyard/protocol/gen';
import { errorLine } from '@switchyard/service';
import { findBundle } from '../bundles/in-flight.ts';
import type { Submitter } from '../bundles/submitter.ts';
import type { Backlog } from '../queue/backlog.ts';
import { type CopyRule, MAX_KEY_BYTES } from '../queue/copies.ts';
import { GROUPS, MAX_ENTRIES, type Space } from '../queue/items.ts';
import type { Outcomes } from '../queue/outcomes.ts';
import type { SequencerBlocks } from '../sequencer/sequencer-blocks.ts';
import { Full, type Intake, Refusing } from './intake.ts';

export interface Collector {
  readonly intake: Intake;
  readonly backlog: Backlog;
  readonly outcomes: Outcomes;
  readonly submitter: Pick<Submitter, 'inFlight'>;
  readonly blocks: Pick<SequencerBlocks, 'at' | 'dataAbove'>;
  /** Whether copies are recognised if a request does not ask for it. */
  readonly deduplicates: boolean;
}

export const SERVICES = [composer.GrpcCollectorService, ownComposer.SubmissionService];
/** For the original call, whose message has no room for a key. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';
const LIST_BYTES = 1_048_576;
const MAX_BATCH = 65_536;
const MAX_HASHES = 1_024;

/** The wire's collector, and our own service next to it. */
export function collectorRoutes(router: ConnectRouter, parts: Collector): void {
  const { intake, backlog, deduplicates } = parts;
  const findRule = (key: Uint8Array, more: CopyRule = {}, isAsked = false): CopyRule | undefined => {
    if (key.length > MAX_KEY_BYTES) {
      const problem = `the idempotency key has ${key.length} bytes, expected at most ${MAX_KEY_BYTES}`;
      throw new ConnectError(problem, Code.InvalidArgument);
    }
    return isAsked || deduplicates || key.length > 0 ? { ...more, key } : undefined;
  };
  router.service(composer.GrpcCollectorService, {
    async submitRollupTransaction({ rollupId, data }, { requestHeader }) {
      const rollup = getRollup(rollupId?.inner);
      const key = new TextEncoder().encode(requestHeader.get(IDEMPOTENCY_HEADER) ?? '');
      await orFull(intake.accept(rollup, [data], findRule(key)));
      return {};
    },
  });

  router.service(ownComposer.SubmissionService, {
    async submitBatch({ rollupId, data, skipKnown, executedHeight, idempotencyKey }) {
      const rollup = getRollup(rollupId?.inner);
      if (data.length > MAX_BATCH) {
        throw new ConnectError(`a batch of ${data.length}, expected at most ${MAX_BATCH}`, Code.InvalidArgument);
      }
      const refusals = data.flatMap((bytes, index) => {
        const reason = intake.refusal(bytes);
        return reason === undefined ? [] : [{ index, reason }];
      });
      const refused = new Set(refusals.map(({ index }) => index));
      const good = refused.size === 0 ? data : data.filter((_bytes, index) => !refused.has(index));
      await orFull(intake.accept(rollup, good, findRule(idempotencyKey, { executedHeight }, skipKnown)));
      return { refusals };
    },

    async submitBundle({ entries, skipKnown, idempotencyKey }) {
      if (entries.length > MAX_ENTRIES) {
        throw new ConnectError(`${entries.length} entries, expected at most ${MAX_ENTRIES}`, Code.InvalidArgument);
      }
      const group = entries.map(({ rollupId, data }, index) => {
        return { rollup: getRollup(rollupId?.inner, `entry ${index + 1} of ${entries.length}: `), data };
      });
      return { id: txHashBytes(await orFull(intake.acceptGroup(group, findRule(idempotencyKey, {}, skipKnown)))) };
    },

    getBundle({ id }) {
      const wanted = txHashFromBytes(id);
      const state = findState(parts, GROUPS, wanted);
      if (state === undefined) throw new ConnectError(`no bundle ${wanted} is known here`, Code.NotFound);
      return { submission: { state } };
    },

    getSubmission({ rollupId, hash }) {
      const wanted = txHashFromBytes(hash);
      const state = findState(parts, getRollup(rollupId?.inner), wanted);
      if (state === undefined) throw new ConnectError(`no submission ${wanted} is known here`, Code.NotFound);
      return { state };
    },

    getSubmissions({ rollupId, hashes }) {
      const rollup = getRollup(rollupId?.inner);
      if (hashes.length > MAX_HASHES) {
        throw new ConnectError(`${hashes.length} hashes, expected at most ${MAX_HASHES}`, Code.InvalidArgument);
      }
      const states = hashes.map((hash) => findState(parts, rollup, txHashFromBytes(hash)));
      return { submissions: states.map((state) => (state === undefined ? {} : { state })) };
    },

    async getSequencerBlock({ height: wanted }, { signal }) {
      const { latest, height, hash } = await parts.blocks.at(wanted, signal).catch((error: unknown) => {
        throw new ConnectError(`the sequencer is unreachable: ${errorLine(error)}`, Code.Unavailable);
      });
      return { latestHeight: latest, height, blockHash: hash };
    },

    async *listPending({ rollupId, executedHeight }, { signal }) {
      const rollup = getRollup(rollupId?.inner);
      let data: Uint8Array[] = [];
      let bytes = 0;
      // All of one moment, and before the blocks are read: items that leave the queue in the meantime are in one of them.
      const waiting = [...backlog.ofRollup(rollup)];
      const included = executedHeight === 0n ? [] : await parts.blocks.dataAbove(rollup, executedHeight, signal);
      for (const each of [...included, ...waiting]) {
        data.push(each);
        bytes += each.length;
        if (bytes < LIST_BYTES) continue;
        yield { data };
        data = [];
        bytes = 0;
      }
      yield { data };
    },
  });
}

type State = NonNullable<MessageInitShape<typeof ownComposer.GetSubmissionResponseSchema>['state']>;

function findState({ backlog, outcomes, submitter }: Collector, space: Space, hash: TxHash): State | undefined {
  const number = backlog.locate(space, hash);
  if (number !== undefined) {
    const bundle = findBundle(number, submitter.inFlight);
    if (bundle === undefined) return { case: 'queued', value: {} };
    return { case: 'bundled', value: { nonce: bundle.nonce, transactionHash: txHashBytes(bundle.transaction) } };
  }
  const record = outcomes.find(space, hash);
  if (record === undefined) return undefined;
  if (record.kind === 'refused') return { case: 'refused', value: { reason: record.reason } };
  return { case: 'sequenced', value: { height: record.height, transactionHash: txHashBytes(record.transaction) } };
}

function getRollup(bytes: Uint8Array | undefined, where = ''): RollupId {
  if (bytes === undefined) {
    throw new ConnectError(`${where}rollup_id is missing, expected 32 bytes`, Code.InvalidArgument);
  }
  if (bytes.length !== 32) {
    throw new ConnectError(`${where}rollup_id has ${bytes.length} bytes, expected 32`, Code.InvalidArgument);
  }
  return rollupIdFromBytes(bytes);
}

async function orFull<T>(accepted: Promise<T>): Promise<T> {
  try {
    return await accepted;
  } catch (error) {
    if (error instanceof Refusing) throw new ConnectError(error.message, Code.FailedPrecondition);
    if (error instanceof Full) throw new ConnectError(error.message, Code.ResourceExhausted);
    throw error;
  }
}
