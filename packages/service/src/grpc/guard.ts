import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { cors } from '@connectrpc/connect';

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;
type Handler = (request: Request, response: Response) => void;

const HEADERS_SEEN_BY_PAGES = [...cors.exposedHeaders, 'switchyard-reason', 'trailer-switchyard-reason'].join(', ');

/** Lets web pages of any origin call, and answers 400 to requests that the protocol layer cannot even look at. */
export function guarded(handle: Handler): Handler {
  return (request, response) => {
    if (request.headers.origin !== undefined) {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-expose-headers', HEADERS_SEEN_BY_PAGES);
      if (request.method === 'OPTIONS') return preflight(response);
    }
    try {
      handle(request, response);
    } catch {
      // Thrown for a missing or unreadable host: the client's fault, and no reason for the process to end.
      response.statusCode = 400;
      response.end();
    }
  };
}

function preflight(response: Response): void {
  response.setHeader('access-control-allow-methods', cors.allowedMethods.join(', '));
  response.setHeader('access-control-allow-headers', cors.allowedHeaders.join(', '));
  response.setHeader('access-control-max-age', '7200');
  response.statusCode = 204;
  response.end();
}
