import type { IncomingMessage, ServerResponse } from 'node:http';
import { getFailures, type LineLog } from '../telemetry/rejections.ts';
import { toHttpError } from './http-error.ts';
import { errorAnswer } from './problem.ts';

/** Client that sent a request and waits for its answer. */
export interface Requester {
  /** The client's address, or the network it is in. */
  readonly peer: string;
  /** Origin of the web page that asks: `null` if the browser keeps it to itself; undefined for other programs. */
  readonly page: string | undefined;
  /**
   * Resolves when its address has its turn for a piece of long work, which is one of few milliseconds. A peer that uses much of
   * the listener's time waits for its share while others are served.
   */
  turn(): Promise<void>;
  /** Whether no answer is needed any more. */
  isGone(): boolean;
  /** Ends its connection. */
  cutOff(): void;
  /** Its connection ends with the answer, and not before if the answering part is cut off. Absent if there is none. */
  outlast?(): void;
}

export interface DirectRequest {
  readonly method: string;
  readonly path: string;
  /** Text after the question mark. */
  readonly query: string;
  /** Never longer than the server's limit. */
  readonly body: Buffer;
}

/**
 * Requests that come so often that a `Request`, a `Response` and their streams for each would be a good part of the
 * work, or whose answers must be followed until they have left.
 */
export interface DirectRoutes {
  /** Undefined leaves the request to the application. */
  answer(request: DirectRequest, from: Requester): Promise<DirectAnswer> | undefined;
  /** The answer to a body that is not read, and why it is not. If absent, the server's own. */
  refuse?(status: number, why: string): DirectAnswer;
}

export interface DirectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | readonly Uint8Array[] | undefined;
  /** Called when the answer has left, or never will. Counting answers by this follows the pace of their readers. */
  readonly release?: (() => void) | undefined;
}

/** @returns whether a request whose body has been read is answered directly. */
export function answerDirect(
  routes: DirectRoutes,
  {
    request,
    body,
    response,
    from,
  }: { request: IncomingMessage; body: Buffer; response: ServerResponse; from: Requester },
  log: LineLog | undefined,
): boolean {
  const { method = 'GET', url = '/' } = request;
  // Not a `URL`, which throws for some requests that a client may send.
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  const answer = routes.answer({ method, path, query: at < 0 ? '' : url.slice(at + 1), body }, from);
  answer?.then(
    (given) => sendDirect(response, given),
    (error: unknown) => {
      if (log !== undefined) getFailures(log).requests.add(`internal ${path}`, from.peer, { err: error, path });
      sendDirect(response, problemAnswer(error, path));
    },
  );
  return answer !== undefined;
}

/** The answer to a request that failed, in the form of its path. */
export function problemAnswer(error: unknown, path: string): DirectAnswer {
  const answer = toHttpError(error);
  const { type, body } = errorAnswer(answer, path);
  return { status: answer.status, headers: { 'content-type': type }, body };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * Sends an answer on a connection that no application has seen.
 *
 * @param until The answer is sent at once and ends then: a connection that is to close does so at the end of its answer.
 */
export function sendDirect(
  response: ServerResponse,
  { status, headers, body, release }: DirectAnswer,
  until?: Promise<void>,
): void {
  if (release !== undefined) {
    // Fires when everything was handed to the system, and also when the client goes away.
    if (response.destroyed) release();
    else response.once('close', release);
  }
  if (body === undefined) {
    response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': 0 }).end();
    return;
  }
  if (typeof body !== 'string') {
    response.writeHead(status, { ...headers, 'content-length': body.reduce((sum, { length }) => sum + length, 0) });
    if (release === undefined) response.end(Buffer.concat(body));
    else sendAtPace(response, body);
    return;
  }
  // A body that is passed as text is sent together with the header.
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  if (until === undefined) response.end(body);
  else {
    response.write(body);
    void until.then(() => response.end());
  }
}

/** Hands over as much at a time as the connection takes. */
function sendAtPace(response: ServerResponse, pieces: readonly Uint8Array[]): void {
  const rest = pieces.values();
  const more = (): void => {
    for (const piece of rest) if (response.destroyed || !response.write(piece)) return;
    response.off('drain', more).end();
  };
  response.on('drain', more);
  more();
}
