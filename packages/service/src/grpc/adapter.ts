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
import type { AnyRequest, AnyResponse } from '../access/admit.ts';
import { clientOfRequest } from '../access/client.ts';
import type { ByteBudget } from '../connections/byte-budget.ts';
import { type FairTurns, takerOf } from '../connections/fair-turns.ts';
import type { LoopShares } from '../connections/loop-shares.ts';
import type { Logger } from '../log.ts';
import { type BodyCheck, checkedBody } from './checked-body.ts';

export interface AdapterOptions extends Omit<ConnectRouterOptions, 'acceptCompression'> {
  readonly routes: (router: ConnectRouter) => void;
  readonly readMaxBytes: number;
  readonly log: Logger;
  /** Memory for long messages, which are read when there is room for them and answered in turns. */
  readonly budget: ByteBudget;
  readonly turns: FairTurns;
  readonly shares: LoopShares;
  /** What services learn of a request beside its message, such as its caller. */
  readonly contextValues: (request: AnyRequest) => ContextValues;
}

const COMPRESSIONS = [compressionGzip, compressionBrotli];

/** Serves Connect's handlers on Node's requests, with bodies that were looked at first. */
export function connectAdapter(options: AdapterOptions): (request: AnyRequest, response: AnyResponse) => void {
  const { routes, log, readMaxBytes, budget, turns, shares, contextValues } = options;
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
    const peer = clientOfRequest(request);
    const body = bodyFor(handler, universal, {
      maxMessageBytes: readMaxBytes,
      whenRoom: () =>
        new Promise((resolve) => void response.once('close', budget.reserve(peer, readMaxBytes, resolve))),
      turn: async (isLong) => {
        if (isLong) await turns.take(peer, takerOf(connectionOf(request)));
        else shares.turnOf(peer);
      },
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

/** A session of HTTP/2 shows another socket each time it is asked. */
function connectionOf(request: AnyRequest): object {
  return 'stream' in request ? (request.stream.session ?? request.stream) : request.socket;
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
