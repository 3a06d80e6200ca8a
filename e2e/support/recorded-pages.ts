import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { httpApp, pageHeaders, pageRoutes, serveHttp } from '@switchyard/service';
import { WebSocketServer } from 'ws';
import type { Page } from './browser.ts';
import { root } from './network.ts';
import { PICTURES, type Pictured } from './pictures.ts';

/*
 * Pages of a network without the network: each process is a table of the answers that it once gave, and the time stands still, so that a
 * page is the same on every machine and in every year. `node e2e/dist/pages/components.js --record` makes the table again.
 */

/** An answer to a page. That of a stream has its first events, and does not end. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** The processes of a network, as their pages see them. */
export const SITES = ['startPage', 'rollup', 'messengerFaucet', 'explorer'] as const;
export type Site = (typeof SITES)[number];

export interface Recorded {
  /** The time of all clocks, in milliseconds since the Unix epoch. */
  readonly now: number;
  readonly pages: readonly {
    readonly name: string;
    readonly site: Site;
    readonly path: string;
    readonly shows: string;
  }[];
  /** The keys are method and path with the query. */
  readonly answers: Readonly<Record<Site, Readonly<Record<string, Answer>>>>;
  /** The connection at `/v1/live` of the rollup: its newest notification without parts, and the parts by their requests. */
  readonly live: { readonly head: object; readonly parts: Readonly<Record<string, object>> };
}

/** A call at `/v1/live`. */
export interface LiveCall {
  readonly method: string;
  readonly params: readonly [{ readonly id: number }];
}

/** The key of a part: its request without the number that the page gave it. */
export function toPartKey({ params: [{ id: _, ...asked }] }: LiveCall): string {
  return JSON.stringify(asked);
}

export const RECORDED = join(PICTURES, 'testdata', 'answers.json');

/** Where the built files of a site's pages are, with the path of each page. */
const BUILT: Readonly<Record<Site, Readonly<Record<string, string>>>> = {
  startPage: { '': 'start' },
  rollup: { '': 'chat', '/docs': 'reference' },
  messengerFaucet: { '': 'faucet' },
  explorer: { '': 'explorer' },
};

export const isStream = (type: string): boolean => type.startsWith('text/event-stream');

export interface RecordedPages {
  readonly pages: readonly Pictured[];
  /** Requests without a recorded answer, so far. */
  readonly unknown: readonly string[];
  close(): Promise<void>;
}

export const readRecorded = (): Recorded => JSON.parse(readFileSync(RECORDED, 'utf8')) as Recorded; // our own file

/** Serves recorded pages. */
export async function serveRecorded(recorded: Recorded): Promise<RecordedPages> {
  const unknown: string[] = [];
  const served = await Promise.all(
    SITES.map(async (site) => {
      const app = httpApp();
      app.use('*', async (c, next) => {
        const { pathname, search } = new URL(c.req.url);
        const answer = recorded.answers[site][`${c.req.method} ${pathname}${search}`];
        if (answer === undefined) return next();
        const { status, type, body } = answer;
        const headers = { 'content-type': type, ...(type.startsWith('text/html') && pageHeaders()) };
        return new Response(isStream(type) ? endless(body) : body, { status, headers });
      });
      for (const [at, name] of Object.entries(BUILT[site]))
        pageRoutes(app, join(root, 'packages', 'web', 'dist', name), { at });
      app.all('*', (c) => {
        unknown.push(`${site}: ${c.req.method} ${c.req.path}`);
        return c.text('not recorded', 404);
      });
      const http = await serveHttp({ listen: { host: '127.0.0.1', port: 0 }, name: site, app });
      if (site === 'rollup') serveLive(http, recorded.live, unknown);
      return { site, http };
    }),
  );
  const find = (site: Site) => served.find((each) => each.site === site)?.http.url ?? '';
  return {
    pages: recorded.pages.map(({ name, site, path, shows }) => ({
      name,
      url: `${find(site)}${path}`,
      shows: new RegExp(shows),
    })),
    unknown,
    close: async () => void (await Promise.all(served.map(({ http }) => http.close()))),
  };
}

/** Answers each request for a part with its recorded rows; nothing changes afterwards. */
function serveLive(
  http: Awaited<ReturnType<typeof serveHttp>>,
  { head, parts }: Recorded['live'],
  unknown: string[],
): void {
  const sockets = new WebSocketServer({ noServer: true });
  const receive = (text: string, send: (notice: string) => void): void => {
    const call = JSON.parse(text) as LiveCall; // of a page of ours
    if (call.method !== 'live_follow') return;
    const part = parts[toPartKey(call)];
    if (part === undefined) unknown.push(`rollup: ${toPartKey(call)}`);
    const params = { ...head, parts: [{ id: call.params[0].id, isWhole: true, ...part }] };
    send(JSON.stringify({ jsonrpc: '2.0', method: 'live', params }));
  };
  http.onUpgrade((...request) =>
    sockets.handleUpgrade(...request, (webSocket) => {
      webSocket.on('message', (data) => receive(String(data), (notice) => webSocket.send(notice)));
    }),
  );
}

function endless(text: string): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) });
}

/**
 * Stops the clocks of all documents that a page opens, takes chance away, and counts its requests under way.
 *
 * @param now In milliseconds since the Unix epoch.
 */
export const stopClocks = (page: Page, now: number): Promise<void> =>
  page.runFirst(`(() => {
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) {
        super(...(given.length === 0 ? [${now}] : given));
      }
      static now() {
        return ${now};
      }
    };
    Object.defineProperty(performance, 'timeOrigin', { value: ${now} });
    performance.now = () => 0;
    Math.random = () => 0.5;
    crypto.getRandomValues = (array) => array.fill(7);
    const ask = fetch;
    globalThis.requestsUnderWay = 0;
    globalThis.fetch = (...given) => {
      requestsUnderWay += 1;
      return ask(...given).finally(() => {
        requestsUnderWay -= 1;
      });
    };
  })()`);

/** Arguments of a browser whose pages show times in the same way on every machine. */
export const SAME_EVERYWHERE = ['--time-zone-for-testing=UTC', '--lang=en-US', '--hide-scrollbars'];
