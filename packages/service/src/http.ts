import type { ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { Access } from './access/access.ts';
import { peerOf } from './access/peer.ts';
import { answerDirect, type DirectPost, sendError } from './http-direct.ts';
import { answerError, errorResponse, HttpError } from './http-error.ts';
import { HttpIntake } from './http-intake.ts';
import { closeHttp, httpListener, type UpgradeHandler } from './http-listener.ts';
import { bind, type Running } from './listening.ts';
import type { Logger } from './log.ts';
import type { Listen } from './parsers.ts';
import { failuresOf, type Rejections } from './rejections.ts';

/** Anything with a `fetch`; in practice a Hono application. */
export interface HttpApp {
  /** @param connection What the server knows of the connection: `{ incoming, outgoing }` of Node. */
  fetch(request: Request, connection?: object): Response | Promise<Response>;
}

export interface HttpOptions {
  readonly listen: Listen;
  /** Who may call. If absent, loopback names and IP addresses only, and no page of another origin. */
  readonly access?: Access;
  readonly app: HttpApp;
  readonly direct?: DirectPost;
  /** The variable that holds the address, named where the address cannot be used. */
  readonly name: string;
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal;
  readonly log?: Logger;
  /** Longer bodies are answered with 413. */
  readonly maxBodyBytes?: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeoutMs?: number;
  readonly maxConnections?: number;
  /** Bytes of answers that wait for their readers, all together; with more, who has most of it is cut off. */
  readonly maxUnreadBytes?: number;
  /** What requests under way are given when the server closes. */
  readonly graceMs?: number;
}

export interface RunningHttp extends Running {
  /** For refusals that the application itself decides. */
  readonly rejections: Rejections;
  /** For upgrades to WebSocket, of those who may call. @returns a function that takes no more of them. */
  onUpgrade(handler: UpgradeHandler): () => void;
}

/** A Hono application whose errors and unknown routes are answered as JSON: `{error: {code, message, facts}}`, below /v1 as problem documents. */
export function httpApp(log?: Logger): Hono {
  const app = new Hono();
  app.onError((error, c) => answerError(error, c, log));
  app.notFound((c) => {
    const error = new HttpError(404, 'not-found', `no route ${c.req.method} ${c.req.path}`);
    return errorResponse(error, c.req.path);
  });
  return app;
}

/**
 * Serves an application, with a bound on everything a client decides: header, body, time and number of connections.
 *
 * @throws {CannotListen} where the address cannot be used.
 */
export async function serveHttp(options: HttpOptions): Promise<RunningHttp> {
  const { app, direct, log, signal, graceMs = 2_000, maxBodyBytes = 1_048_576 } = options;
  const watch = unreadAnswers(options.maxUnreadBytes ?? 256 * 1_048_576, (bytes) =>
    listening.rejections.add('answers-unread', undefined, { unreadBytes: bytes }),
  );
  const intake = new HttpIntake({ maxBodyBytes });
  const fetch = (request: Request, connection: object) => app.fetch(request, connection);
  const listener = getRequestListener(fetch, {
    errorHandler(error) {
      if (log !== undefined) failuresOf(log).requests.add('internal', undefined, { err: error });
      return errorResponse(new HttpError(500, 'internal', 'internal error; see the log of this process'));
    },
  });
  const listening = httpListener({
    ...options,
    handle(request, response) {
      watch(response);
      intake.read(request, response, (body) => {
        const peer = peerOf(request.socket.remoteAddress) ?? 'local';
        if (body.kind === 'whole') {
          if (direct !== undefined && request.method === 'POST' && request.url === direct.path) {
            return answerDirect(direct, { bytes: body.bytes, peer, connection: request.socket }, response, log);
          }
          // Where the adapter looks for a body that was read already.
          void listener(Object.assign(request, { rawBody: body.bytes }), response);
        } else if (body.kind !== 'gone') {
          listening.rejections.add(`body-${body.kind}`, peer, { maxBodyBytes });
          response.setHeader('connection', 'close');
          const path = request.url ?? '/';
          if (body.kind === 'crumbled') sendError(response, CRUMBLED, path);
          else sendError(response, tooLong(maxBodyBytes), path, body.discarded);
        }
      });
    },
  });
  const { server } = listening;
  const bound = await bind(server, options.listen, options.name);
  server.on('error', (error) => log?.error({ err: error }, 'the HTTP server failed'));

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= closeHttp(server, graceMs);
    return closing;
  };
  signal?.addEventListener('abort', () => void close(), { once: true });
  if (signal?.aborted === true) await close();
  return { ...bound, rejections: listening.rejections, onUpgrade: listening.onUpgrade, close };
}

const CRUMBLED = new HttpError(400, 'malformed', 'the body comes in too many pieces of a few bytes');

function tooLong(maxBytes: number): HttpError {
  return new HttpError(413, 'too-large', `the body is longer than ${maxBytes} bytes`, { maxBytes });
}

/** Bounds what clients ask for and do not read. A long answer is looked at when all of it has been handed over. */
function unreadAnswers(limit: number, onCut: (bytes: number) => void): (response: ServerResponse) => void {
  const open = new Set<ServerResponse>();
  const bound = (): void => {
    const all = [...open];
    const sum = all.reduce((bytes, { writableLength }) => bytes + writableLength, 0);
    if (sum <= limit) return;
    const greediest = all.reduce((most, each) => (each.writableLength > most.writableLength ? each : most));
    onCut(greediest.writableLength);
    open.delete(greediest);
    greediest.destroy();
  };
  return (response) => {
    open.add(response);
    response.once('prefinish', () => {
      if (response.writableLength > WORTH_COUNTING) bound();
    });
    response.once('close', () => open.delete(response));
  };
}

/** Answers below this are not worth a look at all others. */
const WORTH_COUNTING = 65_536;
