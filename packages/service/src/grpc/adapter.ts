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
import type { Logger } from '../log.ts';
import { checkedBody } from './checked-body.ts';

export interface AdapterOptions extends Omit<ConnectRouterOptions, 'acceptCompression'> {
  readonly routes: (router: ConnectRouter) => void;
  readonly readMaxBytes: number;
  readonly log: Logger;
  /** What services learn of a request beside its message, such as its caller. */
  readonly contextValues: (request: AnyRequest) => ContextValues;
}

const COMPRESSIONS = [compressionGzip, compressionBrotli];

/** Serves Connect's handlers on Node's requests, with bodies that were looked at first. */
export function connectAdapter(options: AdapterOptions): (request: AnyRequest, response: AnyResponse) => void {
  const { routes, log, readMaxBytes, contextValues } = options;
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
    handler({ ...universal, body: bodyFor(handler, universal, readMaxBytes) })
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((error: unknown) => {
        // Mostly a client that went away; there is nobody left to answer.
        log.debug({ err: error, method: handler.requestPath }, 'an answer could not be sent');
        response.destroy();
      });
  };
}

type UniversalRequest = ReturnType<typeof universalRequestFromNodeRequest>;

function bodyFor(
  { method }: UniversalHandler,
  { body, header }: UniversalRequest,
  maxMessageBytes: number,
): UniversalRequest['body'] {
  const takesOne = method.methodKind === 'unary' || method.methodKind === 'server_streaming';
  if (!takesOne || !isIterable(body)) return body;
  return checkedBody(body, { method, header, maxMessageBytes, compressions: COMPRESSIONS });
}

function isIterable(body: UniversalRequest['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
