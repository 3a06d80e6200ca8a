import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Access,
  type Body,
  bind,
  closeHttp,
  HttpIntake,
  httpListener,
  type Listen,
  peerOf,
  takerOf,
} from '@switchyard/service';
import type { EngineLog } from '../../engine.ts';
import type { Dispatcher } from './dispatch.ts';
import type { Answer } from './json-rpc.ts';
import { failure, invalidRequest } from './json-rpc.ts';
import type { Methods } from './method.ts';
import type { Sockets } from './socket.ts';

export interface HttpOptions {
  readonly listen: Listen;
  readonly access: Access | undefined;
  readonly dispatcher: Dispatcher;
  readonly sockets: Sockets;
  readonly methods: Methods;
  readonly maxBodyBytes: number;
  readonly log: EngineLog;
}

export interface RunningHttp {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

const SETTING = 'SVC_SEQUENCER_RPC_ADDR';
const MAX_CONNECTIONS = 900;
const REQUEST_MS = 30_000;
/** No byte either way: longer than any method takes. */
const IDLE_MS = 60_000;
const GRACE_MS = 1_000;

/** CometBFT's three ways of calling a method over HTTP: JSON-RPC by POST, a URL, and an upgrade to WebSocket. */
export async function serveRpc(options: HttpOptions): Promise<RunningHttp> {
  const { dispatcher, sockets, log, maxBodyBytes } = options;
  const intake = new HttpIntake({ maxBodyBytes });
  let closing = false;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = targetOf(request);
    const peer = peerOf(request.socket.remoteAddress) ?? 'local';
    const caller = { reader: { peer, taker: takerOf(request.socket), cutOff: () => void response.destroy() } };
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (pathname === '/' && request.method === 'POST') {
      const body = await new Promise<Body>((resolve) => intake.read(request, response, resolve));
      if (body.kind === 'gone') return;
      if (body.kind !== 'whole') {
        rejections.add(`body-${body.kind}`, caller.reader.peer, { maxBodyBytes });
        const why = `error reading request body: request body too large, the limit is ${maxBodyBytes} bytes`;
        response.setHeader('connection', 'close');
        respond(response, 400, failure(undefined, invalidRequest(why), log));
        return;
      }
      const answer = body.bytes.length === 0 ? undefined : await dispatcher.answer(body.bytes.toString(), caller);
      if (closing) response.shouldKeepAlive = false;
      send(response, 200, answer);
      return;
    }
    if (!isRead && request.method !== 'POST') {
      response.writeHead(405, { allow: 'GET, POST' }).end();
      return;
    }
    if (pathname === '/') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(listOf(options.methods));
      return;
    }
    const name = pathname.slice(1);
    if (!Object.hasOwn(options.methods, name)) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n');
      return;
    }
    const answer = await dispatcher.answerUri(name, searchParams, caller);
    if (closing) response.shouldKeepAlive = false;
    send(response, answer.status, answer);
  }

  const { server, rejections, onUpgrade } = httpListener({
    listen: options.listen,
    access: options.access,
    log,
    // A transaction may come in the URL.
    maxHeaderBytes: 64 * 1024,
    requestTimeoutMs: REQUEST_MS,
    keepAliveMs: IDLE_MS,
    maxConnections: MAX_CONNECTIONS,
    handle(request, response) {
      handle(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else if (!request.destroyed || request.complete) respond(response, 500, failure(undefined, error, log));
      });
    },
  });
  server.setTimeout(IDLE_MS);
  onUpgrade((request, socket, head) => {
    if (targetOf(request).pathname === '/websocket') sockets.upgrade(request, socket, head, rejections);
    else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });

  const bound = await bind(server, options.listen, SETTING);
  server.on('error', (error) => log.error({ error: error.message }, 'the RPC listener failed'));
  return {
    ...bound,
    close() {
      closing = true;
      sockets.close();
      return closeHttp(server, GRACE_MS);
    },
  };
}

/** Not a `URL`, which throws for some of what a client may send. */
function targetOf({ url = '/' }: IncomingMessage): {
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
} {
  const at = url.indexOf('?');
  const pathname = at < 0 ? url : url.slice(0, at);
  return { pathname, searchParams: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)) };
}

function send(response: ServerResponse, status: number, answer: Answer | undefined): void {
  if (answer === undefined) {
    response.writeHead(200, { 'content-length': 0 }).end();
    return;
  }
  // Fires when everything was handed to the system, and also when the client goes away.
  response.once('close', () => answer.release());
  if (response.destroyed) answer.release();
  respond(response, status, answer.text);
}

function respond(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

function listOf(methods: Methods): string {
  const rows = Object.entries(methods)
    .filter(([, { socketOnly }]) => !socketOnly)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { params }]) => {
      const query = params.length === 0 ? '' : `?${params.map((param) => `${param}=_`).join('&amp;')}`;
      return `<li><a href="/${name}${query}">/${name}${query}</a></li>`;
    });
  return `<!doctype html><title>RPC</title><p>Methods:<ul>${rows.join('')}</ul>`;
}
