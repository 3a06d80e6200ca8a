import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { bind, closeHttp, httpListener, operatorAccess, type ProcessContext } from '@switchyard/service';
import { createProxyServer } from 'httpxy';
import { PREFIX, type ProxyConfig, proxyFields } from './proxy-config.ts';

/** Longer than any answer of ours takes to begin. */
const ANSWER_MS = 120_000;
/** A request may carry a contract's sources. */
const REQUEST_MS = 60_000;
const CLOSE_MS = 2_000;

/**
 * Serves the host names of a rollup on one port, as the ingress of a cluster does: by the name in the request, each leads to
 * one process. Who may call is for that process to decide.
 */
export async function runProxy(config: ProxyConfig, { defer, log, signal }: ProcessContext): Promise<void> {
  const { listenAddr, routes } = config;
  const proxy = createProxyServer({ proxyTimeout: ANSWER_MS, upgradeTimeout: ANSWER_MS });
  proxy.on('error', (error, _, to) => {
    log.debug({ error: error.message }, 'a process did not answer');
    if (to instanceof Socket) to.destroy();
    else if (to !== undefined) answer(to, 502, 'its process does not answer');
  });
  const findTarget = ({ headers }: IncomingMessage): string | undefined => {
    const port = routes.get((headers.host ?? '').replace(/:\d*$/, '').toLowerCase());
    return port === undefined ? undefined : `http://127.0.0.1:${port}`;
  };
  const listener = httpListener({
    listen: listenAddr,
    // The names are those of the routes; the processes decide about pages of other origins.
    access: { ...operatorAccess(config, PREFIX), hosts: ['*'], foreignPages: 'everything', publicPosts: ['*'] },
    log,
    requestTimeoutMs: REQUEST_MS,
    handle(request, response) {
      const target = findTarget(request);
      if (target === undefined) answer(response, 404, `no rollup has the host name of this request`);
      else void proxy.web(forwarded(request), response, { target });
    },
  });
  listener.onUpgrade((request, socket, head) => {
    const target = findTarget(request);
    if (target === undefined || !(socket instanceof Socket)) socket.destroy();
    else void proxy.ws(forwarded(request), socket, { target }, head);
  });
  defer(() => closeHttp(listener.server, CLOSE_MS));
  const { url } = await bind(listener.server, listenAddr, proxyFields.listenAddr.names[0], { log, signal });
  log.info({ url, names: [...routes.keys()].join(' ') }, 'listening');
}

/** The library would pass on the address that the client states alone; the last one counts. */
function forwarded(request: IncomingMessage): IncomingMessage {
  const { headers, socket } = request;
  const stated = headers['x-forwarded-for'];
  const from = socket.remoteAddress ?? '';
  headers['x-forwarded-for'] = stated === undefined ? from : `${[stated].flat().join(', ')}, ${from}`;
  headers['x-forwarded-host'] = headers.host ?? '';
  headers['x-forwarded-proto'] = 'http';
  return request;
}

function answer(response: Pick<ServerResponse, 'headersSent' | 'destroy'> & object, status: number, text: string) {
  // The response is one of HTTP/1, the only kind that this listener has.
  const http = response as ServerResponse;
  if (http.headersSent) return void http.destroy();
  http.writeHead(status, { 'content-type': 'text/plain' });
  http.end(`${text}\n`);
}
