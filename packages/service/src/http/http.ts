import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { type Access, findPage, toProvenance } from '../access/access.ts';
import { clientOfRequest } from '../access/client.ts';
import { Turns } from '../connections/turns.ts';
import { type Links, UnderWay } from '../links.ts';
import type { Listen } from '../settings/parsers.ts';
import type { Logger } from '../telemetry/log.ts';
import { getFailures, type LineLog, type Rejections } from '../telemetry/rejections.ts';
import { sleep } from '../timing/abort.ts';
import { answerDirect, type DirectRoutes, problemAnswer, type Requester, sendDirect } from './http-direct.ts';
import { answerError, errorResponse, HttpError } from './http-error.ts';
import { HttpIntake } from './http-intake.ts';
import { closeHttp, closeProxiedHttp, httpListener, type UpgradeHandler } from './http-listener.ts';
import { bind, outlastsItsPart, type Running } from './listening.ts';
import { type AnswerReader, UnreadAnswers } from './unread-answers.ts';

/** Anything with a `fetch`; in practice a Hono application. */
export interface HttpApp {
  /** @param connection What the server knows of the connection: `{ incoming, outgoing }` of Node. */
  fetch(request: Request, connection?: object): Response | Promise<Response>;
}

export interface HttpOptions {
  readonly listen: Listen;
  /** Rules for who may call. If absent, loopback names and IP addresses only, and no page of another origin. */
  readonly access?: Access;
  readonly app: HttpApp;
  /** Answers before the application is called. */
  readonly direct?: DirectRoutes;
  /** The variable that holds the address, named if the address cannot be used. */
  readonly name: string;
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal;
  readonly log?: LineLog;
  /** Lets other parts of this process ask the application without a connection. */
  readonly links?: Links | undefined;
  /** Longer bodies are answered with 413. */
  readonly maxBodyBytes?: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeoutMs?: number;
  readonly maxHeaderBytes?: number;
  /** Connections on which no byte comes or goes for this long are ended. */
  readonly idleMs?: number;
  readonly maxConnections?: number;
  /** Bytes of answers that wait for their readers, all together; with more, who has most of it is cut off. */
  readonly maxUnreadBytes?: number;
  /** Time that requests under way get when the server closes. */
  readonly graceMs?: number;
}

export interface RunningHttp extends Running {
  /** For refusals that the application itself decides. */
  readonly rejections: Rejections;
  /** Unread answers over this listener, those over upgraded connections included. */
  readonly unread: UnreadAnswers;
  /** For long work, one piece of it in each round of the event loop, whichever connection it is for. */
  readonly turns: Turns;
  /** For upgrades to WebSocket, by permitted callers. @returns a function that takes no more of them. */
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
 * @throws {CannotListen} if the address cannot be used.
 */
export async function serveHttp(options: HttpOptions): Promise<RunningHttp> {
  const { app, direct, log, signal, graceMs = 2_000, maxBodyBytes = 1_048_576 } = options;
  const unread = new UnreadAnswers(options.maxUnreadBytes ?? 256 * 1_048_576, (unreadBytes) =>
    listening.rejections.add('answers-unread', undefined, { unreadBytes }),
  );
  const isProxied = (options.access?.proxyCount ?? 0) > 0;
  let closing: Promise<void> | undefined;
  const fetch = (request: Request, connection: object) => app.fetch(request, connection);
  const errorHandler = (error: unknown): Response => {
    if (log !== undefined) getFailures(log).requests.add('internal', undefined, { err: error });
    return errorResponse(new HttpError(500, 'internal', 'internal error; see the log of this process'));
  };
  const listener = getRequestListener(fetch, { errorHandler });
  const listening = httpListener({
    ...options,
    handle(request, response) {
      const exchange = new Exchange(request, response, turns);
      watch(exchange, unread);
      if (closing !== undefined) exchange.endAfter();
      intake.read(request, response, (body) => {
        if (body.kind === 'whole') {
          if (
            direct !== undefined &&
            answerDirect(direct, { request, body: body.bytes, response, from: exchange }, log)
          )
            return;
          // Member from which the adapter takes a body read already.
          void listener(Object.assign(request, { rawBody: body.bytes }), response);
        } else if (body.kind !== 'gone') {
          listening.rejections.add(`body-${body.kind}`, exchange.peer, { maxBodyBytes });
          response.setHeader('connection', 'close');
          const error = body.kind === 'crumbled' ? CRUMBLED : tooLong(maxBodyBytes);
          const answer = direct?.refuse?.(error.status, error.message) ?? problemAnswer(error, request.url ?? '/');
          sendDirect(response, answer, body.kind === 'too-long' ? body.discarded : undefined);
        }
      });
    },
  });
  const turns = new Turns();
  const intake = new HttpIntake({ maxBodyBytes, turns });
  const { server } = listening;
  server.setTimeout(options.idleMs ?? 0);
  const bound = await bind(server, options.listen, options.name, options);
  server.on('error', (error) => log?.error({ err: error }, 'the HTTP server failed'));

  const linked = async (request: Request, body: Buffer): Promise<Response> => {
    const { method, headers } = request;
    const { host, pathname: path, search } = new URL(request.url);
    const refusal = listening.admission.gate.refusal(
      toProvenance({ ...Object.fromEntries(headers), host }, method, path),
    );
    if (refusal !== undefined) return errorResponse(new HttpError(403, refusal.code, refusal.message), path);
    const answer = await direct?.answer({ method, path, query: search.slice(1), body }, fromThisProcess(turns));
    if (answer === undefined) return app.fetch(request);
    answer.release?.();
    const { body: answered = null } = answer;
    return new Response(typeof answered === 'string' ? answered : answered && Buffer.concat(answered), answer);
  };
  const underWay = new UnderWay();
  const unlink = options.links?.addApp(bound.url, {
    maxBodyBytes,
    async fetch(request, body) {
      const leave = underWay.enter();
      if (body.length > maxBodyBytes) return errorResponse(tooLong(maxBodyBytes), new URL(request.url).pathname);
      return linked(request, body).catch(errorHandler).finally(leave);
    },
  });
  const close = (): Promise<void> => {
    unlink?.();
    // Connections end with the answers that are under way, not when they have been idle for long enough.
    unread.endAll();
    closing ??= Promise.all([
      isProxied ? closeProxiedHttp(server, graceMs) : closeHttp(server, graceMs),
      ended(underWay, graceMs),
    ]).then(() => undefined);
    return closing;
  };
  signal?.addEventListener('abort', () => void close(), { once: true });
  if (signal?.aborted === true) await close();
  const { rejections, onUpgrade } = listening;
  return { ...bound, rejections, turns, unread, onUpgrade, close };
}

const CRUMBLED = new HttpError(400, 'malformed', 'the body comes in too many pieces of a few bytes');

function tooLong(maxBytes: number): HttpError {
  return new HttpError(413, 'too-large', `the body is longer than ${maxBytes} bytes`, { maxBytes });
}

/**
 * A request and its answer, until it has left. A class, since closures and accessors that are made again for each request
 * cost more than all else that is done for it.
 */
class Exchange implements AnswerReader, Requester {
  readonly peer: string;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly turns: Turns,
  ) {
    this.peer = clientOfRequest(request);
  }

  get page(): string | undefined {
    return findPage(toProvenance(this.request.headers));
  }

  turn(): Promise<void> {
    return this.turns.take();
  }

  get unreadBytes(): number {
    return this.response.writableLength;
  }

  isGone(): boolean {
    return this.response.destroyed;
  }

  cutOff(): void {
    this.response.destroy();
  }

  outlast(): void {
    this.endAfter();
    outlastsItsPart(this.request.socket);
  }

  endAfter(): void {
    this.response.shouldKeepAlive = false;
  }
}

/** Another part of this process that calls. */
export function fromThisProcess(turns: Turns, signal?: AbortSignal): Requester {
  return {
    ...{ peer: 'this process', page: undefined, turn: () => turns.take() },
    ...{ isGone: () => signal?.aborted === true, cutOff: () => undefined },
  };
}

/** Resolves when no call is under way, or after `ms`. */
async function ended(underWay: UnderWay, ms: number): Promise<void> {
  const none = new AbortController();
  void underWay.none().then(() => none.abort());
  await sleep(ms, none.signal).catch(() => undefined);
}

/** A long answer is looked at when all of it has been handed over. */
function watch(exchange: Exchange, unread: UnreadAnswers): void {
  unread.add(exchange);
  exchange.response.once('prefinish', () => unread.bound(exchange));
  exchange.response.once('close', () => unread.remove(exchange));
}
