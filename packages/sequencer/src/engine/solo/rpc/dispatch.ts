import { FairTurns } from '@switchyard/service';
import type { EngineLog } from '../../engine.ts';
import { type Answer, failed, failure, METHOD_NOT_FOUND, parseBody, type RpcRequest, success } from './json-rpc.ts';
import type { LargeAnswers } from './large-answers.ts';
import type { Caller, Methods } from './method.ts';

export interface Dispatcher {
  /** Answers the text of a request or a batch; `undefined` where nothing is to be answered. Never rejects. */
  answer(body: string, caller: Caller): Promise<Answer | undefined>;
  /** Answers a call that came as a URL. */
  answerUri(name: string, params: URLSearchParams, caller: Caller): Promise<Answer & { readonly status: number }>;
}

/** What CometBFT puts where there is no id. */
const URI_ID = -1;
const MAX_BATCH = 100;
/** Calls of a batch that are not worth waiting for a turn, and how long a batch works before others have theirs. */
const FEW = 8;
const TURN_MS = 5;
/** Once the answers to a batch are this long, the rest of it is refused. */
const MAX_BATCH_BYTES = 32 * 1024 * 1024;

/** @param ready Calls wait for it. */
export function createDispatcher(
  methods: Methods,
  large: LargeAnswers,
  ready: Promise<void>,
  log: EngineLog,
): Dispatcher {
  const known = new Map(Object.entries(methods));
  const turns = new FairTurns();

  async function call({ id, method: name, params }: RpcRequest, caller: Caller): Promise<string> {
    const method = known.get(name);
    try {
      if (method === undefined || (method.socketOnly && caller.subscriber === undefined)) throw METHOD_NOT_FOUND;
      return success(id, await method.fromJson(params, { ...caller, id }));
    } catch (error) {
      return failure(id, error, log);
    }
  }

  async function callAll(requests: readonly RpcRequest[], caller: Caller): Promise<string> {
    const answers: string[] = [];
    let length = 0;
    if (requests.length > FEW) await turns.take(caller.reader.peer, caller.reader.taker);
    let turn = performance.now();
    // One after the other: callers may rely on the order of effects.
    for (const request of requests) {
      if (performance.now() - turn > TURN_MS) {
        await turns.take(caller.reader.peer, caller.reader.taker);
        turn = performance.now();
      }
      const full = length > MAX_BATCH_BYTES;
      const answer = full
        ? failure(request.id, failed('the answers to this batch are too long'), log)
        : await call(request, caller);
      answers.push(answer);
      length += answer.length;
    }
    return `[${answers.join(',')}]`;
  }

  return {
    async answer(body, caller) {
      try {
        await ready;
        const { batch, requests } = parseBody(body, MAX_BATCH);
        const [first] = requests;
        if (first === undefined) return undefined;
        const make = () => (batch && requests.length > 1 ? callAll(requests, caller) : call(first, caller));
        const isLarge = requests.some(({ method }) => known.get(method)?.large === true);
        return isLarge ? await large.make(caller.reader, make) : small(await make());
      } catch (error) {
        return small(failure(undefined, error, log));
      }
    },

    async answerUri(name, params, caller) {
      const method = known.get(name);
      if (method === undefined || method.socketOnly)
        return { status: 404, ...small(failure(URI_ID, METHOD_NOT_FOUND, log)) };
      try {
        await ready;
        const make = async () => success(URI_ID, await method.fromUri(params, caller));
        return { status: 200, ...(method.large ? await large.make(caller.reader, make) : small(await make())) };
      } catch (error) {
        return { status: 500, ...small(failure(URI_ID, error, log)) };
      }
    },
  };
}

function small(text: string): Answer {
  return { text, release: () => undefined };
}
