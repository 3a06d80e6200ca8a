import { Rejected } from '@switchyard/protocol';
import { exactJsonText } from '../input/exact-json.ts';
import { toJson } from '../input/json.ts';
import { silentLogger } from '../telemetry/log.ts';
import { getFailures, type LineLog } from '../telemetry/rejections.ts';
import { type Clock, systemClock } from '../timing/clock.ts';
import { parseBody, type RpcElement } from './body.ts';
import { DEFAULT_BOUNDS, type JsonRpcBounds } from './bounds.ts';
import type { JsonRpcMethods, RpcContext, RpcId } from './context.ts';
import { type Dialect, STANDARD } from './dialect.ts';
import { internalError, JsonRpcError, RPC } from './error.ts';
import { JsonBytes } from './json-bytes.ts';
import { type Answer, type AnswerText, computeLength, LargeAnswers } from './large-answers.ts';

export interface JsonRpcServerOptions {
  readonly methods: JsonRpcMethods;
  readonly dialect?: Dialect;
  readonly bounds?: Partial<JsonRpcBounds>;
  readonly clock?: Clock;
  readonly log?: LineLog;
  /** Requests are answered from when this resolves on; until then they wait. */
  readonly ready?: Promise<void>;
  /**
   * Methods of which calls that follow each other in a batch are begun in their order without waiting for the ones
   * before; for methods that mostly wait for other work.
   */
  readonly together?: ReadonlySet<string>;
  /** Methods whose answers may be megabytes long and are made only while their readers take them. */
  readonly large?: ReadonlySet<string>;
  /** Writes results; for methods whose results have no bigint, `JSON.stringify` does it several times as fast. */
  readonly stringify?: (result: unknown) => string;
  /** Makes an error of the methods one for the wire; undefined leaves it to this server. */
  readonly translate?: (error: unknown) => JsonRpcError | undefined;
}

export interface JsonRpcServer {
  readonly dialect: Dialect;
  readonly bounds: JsonRpcBounds;
  readonly clock: Clock;
  readonly log: LineLog;
  /** Answers the text of a request or of a batch: with a length of 0 if nothing is to be answered. Never rejects. */
  answer(body: string, context: RpcContext): Promise<Answer>;
  /** Answers one call that came in another form, such as a URL. */
  call(
    id: RpcId,
    method: string,
    params: unknown,
    context: RpcContext,
  ): Promise<Answer & { readonly isError: boolean }>;
}

/** Batches with answers of the greatest length that may be in the making, and the part of it that is left to all others. */
const MANY = 8;
const SHARE = 32;
/** A batch works this long before others have theirs. */
const TURN_MS = 5;
/** Calls of a batch that are not worth waiting for a turn. */
const FEW = 8;
const TOO_LONG = internalError('the answers to this batch are too long');

/** JSON-RPC without a transport. The bound on the length of a body is the transport's. */
export function jsonRpcServer(options: JsonRpcServerOptions): JsonRpcServer {
  const { dialect = STANDARD, clock = systemClock, log = silentLogger, ready, translate } = options;
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  const { stringify = toJson, together = new Set(), large = new Set() } = options;
  const methods = new Map(Object.entries(options.methods));
  const largeAnswers = new LargeAnswers(clock);
  /** Bytes of the answers to all batches that are not complete. */
  let bytesInTheMaking = 0;

  function failed(id: RpcId | undefined, error: unknown, what: string): string {
    const known = translate?.(error) ?? (error instanceof Rejected ? invalidParams(error) : error);
    if (known instanceof JsonRpcError) return failure(id, known);
    getFailures(log).calls.add(what, undefined, { err: error, method: what });
    return failure(id, dialect.unforeseen);
  }

  /** @returns the result or a promise of it. @throws errors of the method, or the dialect's. */
  function begin(id: RpcId, name: string, params: unknown, context: RpcContext): unknown {
    const method = methods.get(name);
    if (method === undefined) throw dialect.methodNotFound(name);
    if (context.isOver()) throw dialect.timedOut;
    return method(params, context, id);
  }

  function success(id: RpcId, result: unknown): AnswerText {
    const head = `{"jsonrpc":"2.0","id":${exactJsonText(id)},"result":`;
    if (!(result instanceof JsonBytes)) return { text: `${head}${stringify(result ?? null)}}` };
    return { text: '', pieces: [Buffer.from(head), ...result.pieces, END] };
  }

  /** @returns an empty text for a notification. */
  async function runElement(element: RpcElement, context: RpcContext): Promise<AnswerText> {
    if (element instanceof JsonRpcError) return { text: failure(dialect.noId, element) };
    const { id = null, method, params } = element;
    let answer: AnswerText;
    try {
      const pending = begin(id, method, params, context);
      // A result available at once is not waited for: the turn of a promise costs more than a small call.
      answer = success(id, pending instanceof Promise ? await pending : pending);
    } catch (error) {
      answer = { text: failed(id, error, method) };
    }
    return element.id === undefined ? { text: '' } : answer;
  }

  async function runBatch(elements: readonly RpcElement[], context: RpcContext): Promise<AnswerText> {
    const { maxBatchBytes } = bounds;
    const { from } = context;
    const answers: AnswerText[] = [];
    let length = 0;
    // Each batch may have a fair share, regardless of the requests of others; more only while that is not too much for all together.
    const isFull = (): boolean =>
      length > maxBatchBytes || (bytesInTheMaking > MANY * maxBatchBytes && length > maxBatchBytes / SHARE);
    if (elements.length > FEW) await from.turn();
    let turn = systemClock.now();
    // One run after the other: callers may rely on the order of effects.
    for (const each of getRuns(elements, together)) {
      if (from.isGone()) break;
      if (systemClock.now() - turn > TURN_MS) {
        await from.turn();
        turn = systemClock.now();
      }
      const full = isFull();
      const answered = await Promise.all(
        each.map((element) => (full ? { text: tooLong(element, dialect) } : runElement(element, context))),
      );
      for (const answer of answered) {
        const bytes = computeLength(answer);
        if (bytes === 0) continue;
        answers.push(answer);
        length += bytes;
        bytesInTheMaking += bytes;
      }
    }
    bytesInTheMaking -= length;
    return answers.length === 0 ? { text: '' } : listed(answers);
  }

  return {
    ...{ dialect, bounds, clock, log },

    async answer(body, context) {
      try {
        if (ready !== undefined) await ready;
        const { isBatch, elements } = parseBody(body, dialect, bounds);
        const [first] = elements;
        if (first === undefined) return { text: '' };
        const isList = isBatch && (elements.length > 1 || dialect.listsOneAnswer);
        const make = () => (isList ? runBatch(elements, context) : runElement(first, context));
        const isLarge = large.size > 0 && elements.some((each) => 'method' in each && large.has(each.method));
        return isLarge ? await largeAnswers.make(context.from, make) : await make();
      } catch (error) {
        return { text: failed(dialect.noId, error, 'request') };
      }
    },

    async call(id, method, params, context) {
      try {
        if (ready !== undefined) await ready;
        const make = async () => success(id, await begin(id, method, params, context));
        const answer = large.has(method) ? await largeAnswers.make(context.from, make) : await make();
        return { ...answer, isError: false };
      } catch (error) {
        return { text: failed(id, error, method), isError: true };
      }
    },
  };
}

/** The calls of a batch: each alone, or with those next to it that are begun together. */
function getRuns(elements: readonly RpcElement[], together: ReadonlySet<string>): readonly (readonly RpcElement[])[] {
  const runs: RpcElement[][] = [];
  let before: string | undefined;
  for (const element of elements) {
    const method = 'method' in element ? element.method : undefined;
    const run = runs.at(-1);
    if (run !== undefined && method !== undefined && method === before && together.has(method)) run.push(element);
    else runs.push([element]);
    before = method;
  }
  return runs;
}

const END = Buffer.from('}');

function listed(answers: readonly AnswerText[]): AnswerText {
  if (answers.every(({ pieces }) => pieces === undefined))
    return { text: `[${answers.map(({ text }) => text).join(',')}]` };
  const pieces = answers.flatMap(({ text, pieces }, index) => [
    Buffer.from(index === 0 ? '[' : ','),
    ...(pieces ?? [Buffer.from(text)]),
  ]);
  return { text: '', pieces: [...pieces, Buffer.from(']')] };
}

function tooLong(element: RpcElement, { noId }: Dialect): string {
  if (element instanceof JsonRpcError) return failure(noId, TOO_LONG);
  return element.id === undefined ? '' : failure(element.id, TOO_LONG);
}

function invalidParams(rejected: Rejected): JsonRpcError {
  return new JsonRpcError(RPC.invalidParams, 'Invalid params', rejected.message);
}

/** The text of an answer that is an error. */
export function failure(id: RpcId | undefined, { code, rpcMessage: message, data }: JsonRpcError): string {
  const named = id === undefined ? '' : `"id":${exactJsonText(id)},`;
  return `{"jsonrpc":"2.0",${named}"error":${toJson({ code, message, data })}}`;
}
