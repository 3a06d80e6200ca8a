import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { wallClock } from '@switchyard/service';
import { openPage } from '../support/browser.ts';
import { createNetwork } from '../support/network.ts';
import { openPictured, WIDTHS } from '../support/pictures.ts';
import {
  type Answer,
  isStream,
  RECORDED,
  type Recorded,
  SAME_EVERYWHERE,
  SITES,
  type Site,
  stopClocks,
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
    mkdirSync(dirname(RECORDED), { recursive: true });
    writeFileSync(RECORDED, `${JSON.stringify({ now, pages, answers } satisfies Recorded, null, 1)}\n`);
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
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { site, upstream, url, answers, close };
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
