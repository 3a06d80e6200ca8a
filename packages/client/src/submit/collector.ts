import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { type RollupId, rollupIdBytes, type TxHash, toHex, txHashBytes, txHashFromBytes } from '@switchyard/protocol';
import { composer, ownComposer } from '@switchyard/protocol/gen';
import { grpcTransport, isTransportFailure } from '@switchyard/service';
import { InvalidData } from '@switchyard/service/input';
import { unstalled } from '../endpoints/unstalled.ts';

/** A composer's state of bytes that it accepted. */
export type SubmissionState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'bundled'; readonly transaction: TxHash; readonly nonce: number }
  | { readonly kind: 'sequenced'; readonly height: bigint; readonly transaction: TxHash }
  | { readonly kind: 'refused'; readonly reason: string };

export interface SequencerPosition {
  readonly latest: bigint;
  /** Height of the block that was requested, or of the latest one. */
  readonly height: bigint;
  /** Lower-case hex; empty before the first block. */
  readonly hash: string;
}

export interface Refusal {
  /** Position in the batch. */
  readonly index: number;
  readonly reason: string;
}

export interface BatchOptions {
  /** Bytes that the composer has, or knows to be in a block, are acknowledged and not queued twice, however it is set. */
  readonly skipKnown?: boolean;
  /** The submitter has executed the sequencer's blocks up to this height: their contents may be queued again. */
  readonly executedHeight?: bigint;
  /** Key of the submission: equal bytes under another key are a different submission. */
  readonly idempotencyKey?: Uint8Array;
  readonly signal?: AbortSignal;
}

/** Bytes for one rollup, as part of an atomic bundle. */
export interface BundleEntry {
  readonly rollup: RollupId;
  /** Bytes of a signed transaction, as the rollup takes it. */
  readonly transaction: Uint8Array;
}

export type CollectorClientOptions = NonNullable<Parameters<typeof grpcTransport>[1]> & { readonly url: string };

export type CollectorClient = ReturnType<typeof collectorClient>;

const STALLED_MS = 30_000;

/** Hands bytes to a composer. Errors are `ConnectError`s: `ResourceExhausted` means full, and nothing was taken. */
export function collectorClient({ url, ...options }: CollectorClientOptions) {
  const transport = grpcTransport(url, options);
  return { ...collectorCalls(transport), close: () => transport.close() };
}

/** Calls of the collector over any transport. */
export function collectorCalls(transport: Transport) {
  const wire = createClient(composer.GrpcCollectorService, transport);
  const own = createClient(ownComposer.SubmissionService, transport);
  const getOptions = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });
  const toId = (rollup: RollupId) => ({ inner: rollupIdBytes(rollup) });

  return {
    /** Resolves when the bytes are on the composer's disk. @param idempotencyKey See `BatchOptions`. */
    async submit(rollup: RollupId, data: Uint8Array, signal?: AbortSignal, idempotencyKey?: string): Promise<void> {
      const headers = idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } };
      await wire.submitRollupTransaction({ rollupId: toId(rollup), data }, { ...getOptions(signal), ...headers });
    },

    /** Resolves when all but the refused ones are on the composer's disk. */
    async submitBatch(
      rollup: RollupId,
      data: readonly Uint8Array[],
      { skipKnown = false, executedHeight = 0n, idempotencyKey = new Uint8Array(), signal }: BatchOptions = {},
    ): Promise<readonly Refusal[]> {
      const request = { rollupId: toId(rollup), data: [...data], skipKnown, executedHeight, idempotencyKey };
      const { refusals } = await own.submitBatch(request, getOptions(signal));
      return refusals.map(({ index, reason }) => ({ index, reason }));
    },

    /**
     * Resolves when all entries are on the composer's disk: they go into one sequencer transaction, in this order, or nowhere.
     * Whether a rollup executes its entries does not depend on the others. Sending the same bundle again is safe.
     *
     * @returns the id, by which `bundle` asks for the outcome.
     */
    async submitBundle(
      entries: readonly BundleEntry[],
      { skipKnown = false, idempotencyKey = new Uint8Array(), signal }: Omit<BatchOptions, 'executedHeight'> = {},
    ): Promise<TxHash> {
      const sent = entries.map(({ rollup, transaction }) => ({ rollupId: toId(rollup), data: transaction }));
      const { id } = await own.submitBundle({ entries: sent, skipKnown, idempotencyKey }, getOptions(signal));
      return id.length === 32 ? txHashFromBytes(id) : missing('SubmitBundle', `an id of 32 bytes, got ${id.length}`);
    },

    /** The outcome of all entries of a bundle. @returns undefined if the composer does not know it (any more). */
    async bundle(id: TxHash, signal?: AbortSignal): Promise<SubmissionState | undefined> {
      return known(async () => {
        const { submission } = await own.getBundle({ id: txHashBytes(id) }, getOptions(signal));
        return findState(submission?.state ?? { case: undefined }) ?? missing('GetBundle', 'a state');
      });
    },

    /** @param hash SHA-256 of the bytes. @returns undefined if the composer does not know them (any more). */
    async submission(rollup: RollupId, hash: TxHash, signal?: AbortSignal): Promise<SubmissionState | undefined> {
      return known(async () => {
        const request = { rollupId: toId(rollup), hash: txHashBytes(hash) };
        const { state } = await own.getSubmission(request, getOptions(signal));
        return findState(state) ?? missing('GetSubmission', 'a state');
      });
    },

    /**
     * Asks about up to 1,024 hashes in one call.
     *
     * @returns One for each hash, in their order.
     */
    async submissions(
      rollup: RollupId,
      hashes: readonly TxHash[],
      signal?: AbortSignal,
    ): Promise<readonly (SubmissionState | undefined)[]> {
      const request = { rollupId: toId(rollup), hashes: hashes.map(txHashBytes) };
      const { submissions } = await own.getSubmissions(request, getOptions(signal));
      if (submissions.length !== hashes.length) {
        missing('GetSubmissions', `${hashes.length} submissions, got ${submissions.length}`);
      }
      return submissions.map(({ state }) => findState(state));
    },

    /** The sequencer's block at a height, or its latest one if it is not that far. */
    async sequencerBlock(height: bigint, signal?: AbortSignal): Promise<SequencerPosition> {
      const answer = await own.getSequencerBlock({ height }, getOptions(signal));
      return { latest: answer.latestHeight, height: answer.height, hash: toHex(answer.blockHash) };
    },

    /**
     * Everything accepted for a rollup and not yet seen in a block, in order, in pieces.
     *
     * @param executedHeight Before it, entries of sequencer blocks above this height for the rollup.
     */
    async *pending(
      rollup: RollupId,
      signal: AbortSignal = new AbortController().signal,
      executedHeight = 0n,
    ): AsyncGenerator<readonly Uint8Array[]> {
      const open = (cut: AbortSignal) => own.listPending({ rollupId: toId(rollup), executedHeight }, { signal: cut });
      for await (const { data } of unstalled(open, {
        ms: STALLED_MS,
        what: 'the list of pending transactions',
        signal,
      }))
        yield data;
    },
  };
}

/**
 * The composer's answer by which it has taken nothing: `refused` for good, `full` for now, `denied` to this caller, `absent`
 * if it has no such call. Undefined for other errors, after which the same bytes may be sent again.
 */
export function findRefusal(error: unknown): { readonly kind: RefusalKind; readonly reason: string } | undefined {
  if (!(error instanceof ConnectError) || isTransportFailure(error)) return undefined;
  const kind = REFUSALS.get(error.code);
  return kind && { kind, reason: error.rawMessage };
}

type RefusalKind = 'refused' | 'full' | 'denied' | 'absent';

const REFUSALS: ReadonlyMap<Code, RefusalKind> = new Map([
  [Code.InvalidArgument, 'refused'],
  [Code.AlreadyExists, 'refused'],
  [Code.FailedPrecondition, 'refused'],
  [Code.ResourceExhausted, 'full'],
  [Code.Unauthenticated, 'denied'],
  [Code.PermissionDenied, 'denied'],
  [Code.Unimplemented, 'absent'],
]);

/** The answer to a question about something that the composer may not know. */
async function known<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

function missing(call: string, what: string): never {
  throw new InvalidData(`${call}: expected ${what}`);
}

function findState(state: ownComposer.GetSubmissionResponse['state']): SubmissionState | undefined {
  switch (state.case) {
    case 'queued':
      return { kind: 'queued' };
    case 'bundled':
      return { kind: 'bundled', transaction: txHashFromBytes(state.value.transactionHash), nonce: state.value.nonce };
    case 'sequenced': {
      const { height, transactionHash } = state.value;
      return { kind: 'sequenced', height, transaction: txHashFromBytes(transactionHash) };
    }
    case 'refused':
      return { kind: 'refused', reason: state.value.reason };
    case undefined:
      return undefined;
  }
}
