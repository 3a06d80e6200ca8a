import { Rejected } from '@switchyard/protocol';
import { FairTurns, type TurnTaker } from './connections/fair-turns.ts';
import { isNestedDeeper, toJson } from './json.ts';
import { JsonRpcError, RPC } from './jsonrpc-error.ts';
import { type Logger, silentLogger } from './log.ts';
import { failuresOf } from './rejections.ts';

/** One method. `params` is what the caller sent, not yet looked at: an array, an object or nothing. */
export type JsonRpcMethod<C> = (params: unknown, context: C) => unknown;

export interface JsonRpcServerOptions<C> {
  readonly methods: Readonly<Record<string, JsonRpcMethod<C>>>;
  readonly log?: Logger;
  readonly maxBatch?: number;
  /** Once the answers to a batch are this long, the rest of it is refused. */
  readonly maxBatchBytes?: number;
  /**
   * Methods of which calls that follow each other in a batch are begun in their order without waiting for the ones
   * before; for those that mostly wait for others.
   */
  readonly together?: ReadonlySet<string>;
  /** Writes results; for methods whose results have no bigint, `JSON.stringify` does it several times as fast. */
  readonly stringify?: (result: unknown) => string;
  /** The error for a name that is no method, where clients expect a text of their own. */
  readonly unknownMethod?: (name: string) => JsonRpcError;
  /** Makes an error of the methods one for the wire; undefined leaves it to this server. */
  readonly translate?: (error: unknown) => JsonRpcError | undefined;
}

export interface JsonRpcCaller {
  /** The client's address. */
  readonly peer: string;
  /** Whether the client has gone, so that no answer is needed. */
  readonly isGone: () => boolean;
  /** Its connection. */
  readonly taker?: TurnTaker;
}

export interface JsonRpcServer<C> {
  /**
   * Answers the text of a request or of a batch; undefined where nothing is to be answered. Never rejects.
   *
   * @param caller Whose request it is: long batches of different peers are worked on in turns, and no longer than the
   * client waits for the answer.
   */
  answer(body: string, context: C, caller?: JsonRpcCaller): Promise<string | undefined>;
  /** Answers one call that came in another form, such as a URL. */
  call(id: RpcId, method: string, params: unknown, context: C): Promise<string>;
}

export type RpcId = string | number | null;

const MAX_DEPTH = 32;
/** Batches with answers of the greatest length that may be in the making, and the part of it that is left to all others. */
const MANY = 8;
const SHARE = 32;
/** A batch works so long before others have theirs. */
const TURN_MS = 5;
/** Calls of a batch that are not worth waiting for a turn. */
const FEW = 8;

/** JSON-RPC 2.0 without a transport. The bound on the length of a body is the transport's. */
export function jsonRpcServer<C>(options: JsonRpcServerOptions<C>): JsonRpcServer<C> {
  const { log = silentLogger, maxBatch = 100, maxBatchBytes = 16 * 1_048_576 } = options;
  const { stringify = toJson, unknownMethod = noMethod, translate, together = new Set() } = options;
  const methods = new Map(Object.entries(options.methods));
  const turns = new FairTurns();
  /** Of the answers to all batches that are not complete. */
  let bytesInTheMaking = 0;

  async function call(id: RpcId, name: string, params: unknown, context: C): Promise<string> {
    const method = methods.get(name);
    if (method === undefined) return failure(id, unknownMethod(name));
    try {
      const pending = method(params, context);
      // A result that is there at once is not waited for: the turn of a promise costs more than a small call.
      const result = pending instanceof Promise ? await pending : pending;
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${stringify(result ?? null)}}`;
    } catch (error) {
      return failure(id, translate?.(error) ?? rpcErrorOf(error, name, log));
    }
  }

  async function answerOne(request: unknown, context: C): Promise<string | undefined> {
    const parsed = parseRequest(request);
    if (parsed instanceof JsonRpcError) return failure(null, parsed);
    const answer = await call(parsed.id ?? null, parsed.method, parsed.params, context);
    return parsed.id === undefined ? undefined : answer;
  }

  async function answerBatch(
    requests: readonly unknown[],
    context: C,
    { peer, isGone, taker }: JsonRpcCaller,
  ): Promise<string | undefined> {
    const answers: string[] = [];
    let length = 0;
    // Each batch may have a fair share, whatever others ask for; more only while that is not too much for all together.
    const isFull = (): boolean =>
      length > maxBatchBytes || (bytesInTheMaking > MANY * maxBatchBytes && length > maxBatchBytes / SHARE);
    if (requests.length > FEW) await turns.take(peer, taker);
    let turn = performance.now();
    // One run after the other: callers may rely on the order of effects.
    for (const run of runsOf(requests, together)) {
      if (isGone()) break;
      if (performance.now() - turn > TURN_MS) {
        await turns.take(peer, taker);
        turn = performance.now();
      }
      const full = isFull();
      const answered = await Promise.all(
        run.map((request) => (full ? failure(idOf(request), TOO_LONG) : answerOne(request, context))),
      );
      for (const answer of answered) {
        if (answer === undefined) continue;
        answers.push(answer);
        length += answer.length;
        bytesInTheMaking += answer.length;
      }
    }
    bytesInTheMaking -= length;
    return answers.length === 0 ? undefined : `[${answers.join(',')}]`;
  }

  return {
    call,
    async answer(body, context, caller = NO_CALLER) {
      if (isNestedDeeper(body, MAX_DEPTH)) return failure(null, invalid(`nested deeper than ${MAX_DEPTH}`));
      let request: unknown;
      try {
        request = JSON.parse(body);
      } catch {
        return failure(null, new JsonRpcError(RPC.parse, 'Parse error'));
      }
      if (!Array.isArray(request)) return answerOne(request, context);
      if (request.length === 0) return failure(null, invalid('an empty batch'));
      if (request.length > maxBatch) return failure(null, invalid(`a batch of more than ${maxBatch}`));
      return answerBatch(request, context, caller);
    },
  };
}

/** The calls of a batch: each alone, or with those beside it that are begun together. */
function runsOf(requests: readonly unknown[], together: ReadonlySet<string>): readonly (readonly unknown[])[] {
  const runs: unknown[][] = [];
  let before: unknown;
  for (const request of requests) {
    const method = typeof request === 'object' && request !== null && 'method' in request ? request.method : undefined;
    const run = runs.at(-1);
    if (run !== undefined && method === before && typeof method === 'string' && together.has(method)) run.push(request);
    else runs.push([request]);
    before = method;
  }
  return runs;
}

const NO_CALLER: JsonRpcCaller = { peer: '', isGone: () => false };
const TOO_LONG = new JsonRpcError(RPC.internal, 'Internal error', 'the answers to this batch are too long');

interface RpcRequest {
  /** Absent in a notification, which is not answered. */
  readonly id: RpcId | undefined;
  readonly method: string;
  readonly params: unknown;
}

function parseRequest(request: unknown): RpcRequest | JsonRpcError {
  if (typeof request !== 'object' || request === null) return invalid('not an object');
  if (!('method' in request) || typeof request.method !== 'string') return invalid('no method');
  if ('id' in request && idOf(request) === null && request.id !== null)
    return invalid('an id that is neither text nor number');
  return {
    id: 'id' in request ? idOf(request) : undefined,
    method: request.method,
    params: 'params' in request ? request.params : undefined,
  };
}

function idOf(request: unknown): RpcId {
  const id = typeof request === 'object' && request !== null && 'id' in request ? request.id : null;
  return (typeof id === 'string' && id.length <= 100) || typeof id === 'number' ? id : null;
}

function noMethod(name: string): JsonRpcError {
  return new JsonRpcError(RPC.methodNotFound, 'Method not found', name.slice(0, 100));
}

function invalid(why: string): JsonRpcError {
  return new JsonRpcError(RPC.invalidRequest, 'Invalid Request', why);
}

function rpcErrorOf(error: unknown, method: string, log: Logger): JsonRpcError {
  if (error instanceof JsonRpcError) return error;
  if (error instanceof Rejected) return new JsonRpcError(RPC.invalidParams, 'Invalid params', error.message);
  failuresOf(log).calls.add(method, undefined, { err: error, method });
  return new JsonRpcError(RPC.internal, 'Internal error');
}

function failure(id: RpcId, { code, rpcMessage, data }: JsonRpcError): string {
  return toJson({ jsonrpc: '2.0', id, error: { code, message: rpcMessage, ...(data === undefined ? {} : { data }) } });
}
