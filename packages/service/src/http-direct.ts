import type { ServerResponse } from 'node:http';
import { errorAnswer } from './api/problem.ts';
import { takerOf } from './connections/fair-turns.ts';
import { httpErrorOf } from './http-error.ts';
import type { JsonRpcCaller } from './jsonrpc-server.ts';
import type { Logger } from './log.ts';
import { failuresOf } from './rejections.ts';

/**
 * A route that is asked so often that a `Request`, a `Response` and their streams for each would be a good part of the work.
 */
export interface DirectPost {
  readonly path: string;
  /**
   * @param body As UTF-8; never longer than the server's limit.
   * @param caller The client, for accounts of what clients cost.
   */
  answer(body: string, caller: JsonRpcCaller): Promise<DirectAnswer>;
}

export interface DirectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Answers a post whose body has been read. */
export function answerDirect(
  { path, answer }: DirectPost,
  { bytes, peer, connection }: { readonly bytes: Buffer; readonly peer: string; readonly connection: object },
  response: ServerResponse,
  log: Logger | undefined,
): void {
  answer(bytes.toString('utf8'), { peer, isGone: () => response.destroyed, taker: takerOf(connection) }).then(
    (given) => send(response, given),
    (error: unknown) => {
      if (log !== undefined) failuresOf(log).requests.add(`internal ${path}`, peer, { err: error, path });
      sendError(response, error, path);
    },
  );
}

/**
 * Answers an error as JSON, on connections that no application has seen.
 *
 * @param until The answer is sent at once and ends then: a connection that is to close does so at the end of its answer.
 */
export function sendError(response: ServerResponse, error: unknown, path: string, until?: Promise<void>): void {
  const answer = httpErrorOf(error);
  const { type, body } = errorAnswer(answer, path);
  const headers = { 'content-type': type };
  if (until === undefined) send(response, { status: answer.status, headers, body });
  else {
    response.writeHead(answer.status, { ...headers, 'content-length': Buffer.byteLength(body) }).write(body);
    void until.then(() => response.end());
  }
}

function send(response: ServerResponse, { status, headers, body }: DirectAnswer): void {
  if (body === undefined) response.writeHead(status, headers).end();
  // As text, which Node sends together with the header.
  else response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
