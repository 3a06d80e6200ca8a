import { errorResponse, HttpError } from './http-error.ts';

type Handler = (request: Request, connection?: object) => Response | Promise<Response>;

/** Bounds the bodies that a handler sees: by their stated length before anything is read, else while they are read. */
export function limitBody(handle: Handler, maxBytes: number): Handler {
  return (request, connection) => {
    const stated = request.headers.get('content-length');
    if (stated !== null) {
      // The rest of the body is not waited for, so the connection cannot be used again.
      if (Number(stated) > maxBytes) return errorResponse(tooLarge(maxBytes), { connection: 'close' });
      return handle(request, connection);
    }
    if (!request.headers.has('transfer-encoding') || request.body === null) return handle(request, connection);
    const { method, headers, url, signal } = request;
    const body = request.body.pipeThrough(countingStream(maxBytes));
    return handle(new Request(url, { method, headers, signal, body, duplex: 'half' }), connection);
  };
}

function countingStream(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > maxBytes) controller.error(tooLarge(maxBytes));
      else controller.enqueue(chunk);
    },
  });
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, 'too-large', `the body is longer than ${maxBytes} bytes`, { maxBytes });
}
