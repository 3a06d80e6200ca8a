import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Writer } from '@switchyard/protocol';
import { abci } from '@switchyard/protocol/gen';
import type { Application } from '../../app/types.ts';
import { BadFrame } from './frames.ts';
import { FLUSHED, readFrequent, writeChecked, writeResults } from './frequent.ts';
import type { StateSync } from './state-sync.ts';
import {
  genesisFromWire,
  paramsToWire,
  proposalFromWire,
  proposalInputFromWire,
  restToWire,
  validatorsToWire,
} from './wire.ts';

type Request = abci.Request['value'];
type Answer = NonNullable<MessageInitShape<typeof abci.ResponseSchema>['value']>;

/** Notifications to the rest of the engine. */
export interface Observer {
  /** CometBFT has connected and done its handshake. */
  asked(height: bigint, version: string): void;
  /** A chain begins. */
  initialized(): void;
  /** A block was decided: its height and the hash of its header. */
  finalized(height: bigint, hash: Uint8Array): void;
  /** The last finalized block is on disk. */
  /** @param retainHeight Blocks below may be deleted; 0 for none. */
  committed(retainHeight: bigint): void;
}

/** A `Request` in, a `Response` out, both as bytes. See {@link answer}. */
export function answerFrame(frame: Uint8Array, app: Application, sync: StateSync, observer: Observer) {
  const frequent = readFrequent(frame);
  if (frequent?.case === 'flush') return FLUSHED;
  if (frequent?.case === 'checkTx') return writeChecked(app.checkTx(frequent.tx, frequent.recheck ? 'recheck' : 'new'));
  const request = decode(frame);
  if (request.case === 'finalizeBlock') return finalizeBlock(request.value, app, observer);
  const answered = answer(request, app, sync, observer);
  return answered instanceof Promise ? answered.then(encode) : encode(answered);
}

function decode(frame: Uint8Array): Request {
  try {
    return fromBinary(abci.RequestSchema, frame, { readUnknownFields: false }).value;
  } catch (error) {
    throw new BadFrame('message that is no request', { cause: error });
  }
}

function encode(value: Answer): Uint8Array {
  return toBinary(abci.ResponseSchema, create(abci.ResponseSchema, { value }));
}

/** Sent before the connection ends because of an error of ours. */
export function encodeException(error: unknown): Uint8Array {
  return encode({ case: 'exception', value: { error: error instanceof Error ? error.message : String(error) } });
}

function finalizeBlock(request: abci.RequestFinalizeBlock, app: Application, observer: Observer): Uint8Array {
  const { decidedLastCommit: proposedLastCommit, hash, ...block } = request;
  const common = proposedLastCommit === undefined ? {} : { proposedLastCommit };
  const result = app.finalizeBlock({ ...proposalFromWire({ ...block, ...common }), hash: Uint8Array.from(hash) });
  observer.finalized(block.height, hash);
  const results = writeResults(result);
  const rest = toBinary(abci.ResponseFinalizeBlockSchema, create(abci.ResponseFinalizeBlockSchema, restToWire(result)));
  const value = new Uint8Array(results.length + rest.length);
  value.set(results);
  value.set(rest, results.length);
  return new Writer(value.length + 16).bytesAlways(21, value).finish();
}

/**
 * One call of CometBFT's on the application, except those of {@link answerFrame}.
 *
 * Calls that touch pending state answer at once, so that those of one connection cannot overtake each other; `commit`,
 * `query` and the work on snapshots may take a while.
 *
 * @throws {BadFrame} for a request outside of this protocol.
 */
function answer(
  request: Exclude<Request, { case: 'finalizeBlock' }>,
  app: Application,
  sync: StateSync,
  observer: Observer,
): Answer | Promise<Answer> {
  switch (request.case) {
    case 'echo':
      return { case: 'echo', value: { message: request.value.message } };
    case 'flush':
      return { case: 'flush', value: {} };
    case 'info': {
      const { data, version, appVersion, height, appHash } = app.info();
      observer.asked(height, request.value.version);
      return {
        case: 'info',
        value: { data, version, appVersion, lastBlockHeight: height, lastBlockAppHash: appHash },
      };
    }
    case 'initChain': {
      const { validators, consensusParams, appHash } = app.initChain(genesisFromWire(request.value));
      observer.initialized();
      return {
        case: 'initChain',
        value: { validators: validatorsToWire(validators), consensusParams: paramsToWire(consensusParams), appHash },
      };
    }
    case 'checkTx': {
      const { tx, type } = request.value;
      const { code, info, log } = app.checkTx(tx, type === abci.CheckTxType.RECHECK ? 'recheck' : 'new');
      return { case: 'checkTx', value: { code, info, log } };
    }
    case 'prepareProposal': {
      const txs = app.prepareProposal(proposalInputFromWire(request.value));
      return { case: 'prepareProposal', value: { txs: [...txs] } };
    }
    case 'processProposal': {
      const { ACCEPT, REJECT } = abci.ProposalStatus;
      const verdict = app.processProposal(proposalFromWire(request.value));
      return { case: 'processProposal', value: { status: verdict === 'accept' ? ACCEPT : REJECT } };
    }
    // Votes are not extended: an extension is empty, and any other is refused.
    case 'extendVote':
      return { case: 'extendVote', value: { voteExtension: new Uint8Array() } };
    case 'verifyVoteExtension': {
      const { ACCEPT, REJECT } = abci.ProposalStatus;
      const empty = request.value.voteExtension.length === 0;
      return { case: 'verifyVoteExtension', value: { status: empty ? ACCEPT : REJECT } };
    }
    case 'commit':
      return commit(app, observer);
    case 'query':
      return query(app, request.value);
    case 'listSnapshots':
      return { case: 'listSnapshots', value: { snapshots: sync.list() } };
    case 'offerSnapshot':
      return { case: 'offerSnapshot', value: { result: sync.offer(request.value) } };
    case 'loadSnapshotChunk':
      return { case: 'loadSnapshotChunk', value: { chunk: sync.load(request.value) } };
    case 'applySnapshotChunk':
      return applied(sync, request.value);
    case undefined:
      throw new BadFrame('request of a kind that is not known');
    default:
      return request satisfies never;
  }
}

async function commit(app: Application, observer: Observer): Promise<Answer> {
  const { retainHeight } = await app.commit();
  observer.committed(retainHeight);
  return { case: 'commit', value: { retainHeight } };
}

async function query(app: Application, { path, data, height }: abci.RequestQuery): Promise<Answer> {
  const { code, info, log, key, value, height: at } = await app.query(path, data, height);
  return { case: 'query', value: { code, info, log, key, value, height: at } };
}

async function applied(sync: StateSync, request: abci.RequestApplySnapshotChunk): Promise<Answer> {
  return { case: 'applySnapshotChunk', value: await sync.apply(request) };
}
