import {
  type ConnectRouter,
  type ConnectRouterOptions,
  type ContextValues,
  createConnectRouter,
} from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import { MAX_TIMER_MS } from '../abort.ts';
import type { AnyRequest, AnyResponse } from '../access/admit.ts';
import { clientOfRequest } from '../access/client.ts';
import type { ByteBudget } from '../connections/byte-budget.ts';
import type { Turns } from '../connections/turns.ts';
import type { Logger } from '../log.ts';
import { type BodyCheck, checkedBody } from './checked-body.ts';

export interface AdapterOptions extends Omit<ConnectRouterOptions, 'acceptCompression'> {
  readonly routes: (router: ConnectRouter) => void;
  readonly readMaxBytes: number;
  readonly log: Logger;
  /** Memory for long messages, which are read when there is room for them and answered in turns. */
  readonly budget: ByteBudget;
  readonly turns: Turns;
  /** Facts about a request that services get besides its message, such as its caller. */
  readonly contextValues: (request: AnyRequest) => ContextValues;
}

const COMPRESSIONS = [compressionGzip, compressionBrotli];

/** Serves Connect's handlers on Node's requests, with bodies that were looked at first. */
export function connectAdapter(options: AdapterOptions): (request: AnyRequest, response: AnyResponse) => void {
  const { routes, log, readMaxBytes, budget, turns, contextValues } = options;
  const router = createConnectRouter({ ...options, acceptCompression: COMPRESSIONS });
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return (request, response) => {
    const handler = handlers.get(request.url?.split('?', 1)[0] ?? '');
    if (handler === undefined) {
      request.resume();
      response.statusCode = 404;
      response.end();
      return;
    }
    const universal = universalRequestFromNodeRequest(request, response, undefined, contextValues(request));
    boundTimeouts(universal.header);
    const peer = clientOfRequest(request);
    const body = bodyFor(handler, universal, {
      maxMessageBytes: readMaxBytes,
      whenRoom: () =>
        new Promise((resolve) => void response.once('close', budget.reserve(peer, readMaxBytes, resolve))),
      turn: () => turns.take(),
    });
    handler({ ...universal, body })
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((error: unknown) => {
        // Mostly a client that went away: no one is left to answer.
        log.debug({ err: error, method: handler.requestPath }, 'an answer could not be sent');
        response.destroy();
      });
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Lowers time limits of the caller that no timer can keep. */
function boundTimeouts(headers: Headers): void {
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(headers.get('grpc-timeout') ?? '') ?? [];
  if (Number(amount) * (UNIT_MS[unit] ?? 0) > MAX_TIMER_MS)
    headers.set('grpc-timeout', `${Math.floor(MAX_TIMER_MS / 1_000)}S`);
  if (Number(headers.get('connect-timeout-ms')) > MAX_TIMER_MS) headers.set('connect-timeout-ms', String(MAX_TIMER_MS));
}

type UniversalRequest = ReturnType<typeof universalRequestFromNodeRequest>;

function bodyFor(
  { method }: UniversalHandler,
  { body, header }: UniversalRequest,
  accounts: Pick<BodyCheck, 'maxMessageBytes' | 'whenRoom' | 'turn'>,
): UniversalRequest['body'] {
  const takesOne = method.methodKind === 'unary' || method.methodKind === 'server_streaming';
  if (!takesOne || !isIterable(body)) return body;
  return checkedBody(body, { ...accounts, method, header, compressions: COMPRESSIONS });
}

function isIterable(body: UniversalRequest['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
