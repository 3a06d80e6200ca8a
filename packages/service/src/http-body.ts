import { errorResponse, HttpError } from './http-error.ts';

type Handler = (request: Request, connection?: object) => Response | Promise<Response>;

/** Bounds the bodies that a handler sees: by their stated length before anything is read, else while they are read. */
export function limitBody(handle: Handler, maxBytes: number): Handler {
  return (request, connection) => {
    const stated = request.headers.get('content-length');
    if (stated !== null) {
      return Number(stated) > maxBytes ? refuse(request, maxBytes) : handle(request, connection);
    }
    if (!request.headers.has('transfer-encoding') || request.body === null) return handle(request, connection);
    const { method, headers, url, signal } = request;
    const body = request.body.pipeThrough(countingStream(maxBytes));
    return handle(new Request(url, { method, headers, signal, body, duplex: 'half' }), connection);
  };
}

/** How many times the limit is read and thrown away. */
const PATIENCE = 4;

/**
 * Most clients look for an answer only when they have sent everything, and a connection that is closed before is an error
 * to them. So somewhat more than the limit is read, and what is longer still is cut off.
 */
async function refuse({ body }: Request, maxBytes: number): Promise<Response> {
  if (body !== null) await discard(body, PATIENCE * maxBytes).catch(() => undefined);
  return errorResponse(tooLarge(maxBytes), { connection: 'close' });
}

/** Reads to the end or to `most` bytes. Rejects when the sender goes away. */
async function discard(body: ReadableStream<Uint8Array>, most: number): Promise<void> {
  const reader = body.getReader();
  for (let left = most; left > 0; ) {
    const { done, value } = await reader.read();
    if (done) return;
    left -= value.byteLength;
  }
  await reader.cancel();
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
