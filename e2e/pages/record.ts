import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { wallClock } from '@switchyard/service';
import { WebSocket, WebSocketServer } from 'ws';
import { openPage } from '../support/browser.ts';
import { createNetwork } from '../support/network.ts';
import { openPictured, WIDTHS } from '../support/pictures.ts';
import {
  type Answer,
  isStream,
  type LiveCall,
  RECORDED,
  type Recorded,
  SAME_EVERYWHERE,
  SITES,
  type Site,
  stopClocks,
  toPartKey,
} from '../support/recorded-pages.ts';
import { getPages } from './pages.ts';

/** Files of pages are served as they are built; of all other HTML only this is an answer of a process. */
const ANSWERED_PAGE = '/admin';
/** Further events of a stream repeat the first ones. */
const MAX_STREAM = 20_000;
/** Pages are looked at later than anything in them. */
const LATER_MS = 20_000;

/** Opens the pages of a network of its own in all widths, and writes what its processes answered. */
export async function record(browser: string): Promise<void> {
  const network = await createNetwork({
    instance: 'default',
    init: ['--template', 'messenger,evm', '--data-availability', 'local'],
    hasProcesses: false,
  });
  try {
    await network.start('local', [], 120_000);
    const listed = await getPages(network);
    const now = wallClock.unixMs() + LATER_MS;
    const proxies = await Promise.all(SITES.map((site) => recordSite(site, network.url(site))));
    const page = await openPage(browser, SAME_EVERYWHERE);
    const pages = listed.flatMap(({ name, url, shows, part }): Recorded['pages'] => {
      const found = proxies.find(({ upstream }) => url.startsWith(upstream));
      if (found === undefined || part !== undefined) return [];
      return [{ name, site: found.site, path: url.slice(found.upstream.length), shows: shows.source }];
    });
    try {
      await stopClocks(page, now);
      for (const { name, site, path, shows } of pages) {
        const url = `${proxies.find((each) => each.site === site)?.url}${path}`;
        for (const width of WIDTHS) await openPictured(page, { name, url, shows: new RegExp(shows) }, width);
      }
    } finally {
      await page.close();
      for (const { close } of proxies) close();
    }
    const answers = Object.fromEntries(proxies.map(({ site, answers }) => [site, answers])) as Recorded['answers']; // of all sites
    const live = proxies.find(({ site }) => site === 'rollup')?.live ?? { head: {}, parts: {} };
    mkdirSync(dirname(RECORDED), { recursive: true });
    writeFileSync(RECORDED, `${JSON.stringify({ now, pages, answers, live } satisfies Recorded, null, 1)}\n`);
  } finally {
    await network.dispose();
  }
}

/** Stands between a page and a process, and writes down the last answer to each request. */
async function recordSite(site: Site, upstream: string) {
  const answers: Record<string, Answer> = {};
  const server = createServer((request, response) => {
    void forward(upstream, request, response, answers).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sockets = new WebSocketServer({ server, path: '/v1/live' });
  const live: { head: object; readonly parts: Record<string, object> } = { head: {}, parts: {} };
  sockets.on('connection', (page) => forwardLive(upstream, page, live));
  const close = () => {
    for (const each of sockets.clients) each.terminate();
    server.close();
    server.closeAllConnections();
  };
  return { site, upstream, url, answers, live, close };
}

/** Passes a live connection on, and writes down the first rows of each part and the newest block. */
function forwardLive(upstream: string, page: WebSocket, live: { head: object; parts: Record<string, object> }): void {
  const node = new WebSocket(`${upstream.replace('http', 'ws')}/v1/live`);
  const keys = new Map<number, string>();
  const early: string[] = [];
  page.on('message', (data) => {
    const call = JSON.parse(String(data)) as LiveCall; // of a page of ours
    if (call.method === 'live_follow') keys.set(call.params[0].id, toPartKey(call));
    if (node.readyState === WebSocket.OPEN) node.send(String(data));
    else early.push(String(data));
  });
  node.on('open', () => early.forEach((text) => void node.send(text)));
  node.on('message', (data) => {
    const { method, params } = JSON.parse(String(data)) as Notice; // of our own node
    if (method === 'live') {
      const { parts, ...head } = params;
      live.head = head;
      for (const { id, ...part } of parts) live.parts[keys.get(id) ?? ''] ??= part;
    }
    page.send(String(data));
  });
  page.on('close', () => node.close());
  node.on('close', () => page.close());
}

interface Notice {
  readonly method?: string;
  readonly params: { readonly parts: readonly { readonly id: number }[] };
}

async function forward(
  upstream: string,
  request: IncomingMessage,
  response: ServerResponse,
  answers: Record<string, Answer>,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const type = request.headers['content-type'];
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const answer = await fetch(`${upstream}${url}`, {
    method,
    ...(type !== undefined && { headers: { 'content-type': type } }),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    signal: gone.signal,
  });
  const answeredType = answer.headers.get('content-type') ?? 'text/plain';
  const isAnswer =
    /application\/(?:json|problem)|event-stream|text\/plain/.test(answeredType) || url.startsWith(ANSWERED_PAGE);
  const keep = (body: string) => {
    if (isAnswer) answers[`${method} ${url}`] = { status: answer.status, type: answeredType, body };
  };
  response.writeHead(answer.status, { 'content-type': answeredType });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    response.write(chunk);
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    // Whole events, as many as there is room for.
    if (isStream(answeredType) && text.length < MAX_STREAM) keep(text.slice(0, text.lastIndexOf('\n\n') + 2));
  }
  if (!isStream(answeredType)) keep(text);
  response.end();
}
