import { afterEach, describe, expect, test } from 'vitest';
import { clientOf } from '../access/client.ts';
import { type LinkPaths, Links } from '../links.ts';
import { eventually, memoryLogger } from '../testing.ts';
import { httpApp, serveHttp } from './http.ts';
import { HttpError } from './http-error.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Seen {
  readonly client: string;
  readonly length: string | undefined;
}

/** An application, with a route that the server answers directly and a route that answers once released. */
async function serve(links: Links | undefined, port = 0) {
  const { log, lines } = memoryLogger();
  const seen: Seen[] = [];
  let letGo: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const app = httpApp(log);
  app.post('/echo', async (c) => {
    seen.push({ client: clientOf(c.env), length: c.req.header('content-length') });
    c.header('x-query', c.req.query('q'));
    return c.text(await c.req.text(), 201);
  });
  app.get('/refuse', () => {
    throw new HttpError(429, 'limit-reached', 'not now', { againInSeconds: 7 });
  });
  app.get('/fail', () => {
    throw new Error('password is 123');
  });
  app.get('/wait', async (c) => {
    seen.push({ client: clientOf(c.env), length: undefined });
    await waiting;
    return c.text('at last');
  });
  const server = await serveHttp({
    ...{ listen: { host: '127.0.0.1', port }, name: 'X', graceMs: 2_000, maxBodyBytes: 1_000, app, log, links },
    direct: {
      answer({ method, path, query, body }, from) {
        const { peer } = from;
        if (path === '/outlast') {
          seen.push({ client: peer, length: undefined });
          from.outlast?.();
          return waiting.then(() => ({ status: 200, headers: {}, body: 'at last' }));
        }
        return path === '/direct'
          ? Promise.resolve({ status: 202, headers: { 'x-by': peer }, body: `${method} ${query} ${body}` })
          : undefined;
      },
    },
  });
  closers.push(() => {
    letGo();
    return server.close();
  });
  return { ...server, lines, seen, letGo };
}

/* One contract for requests over a socket and for those to an application of the same process. */
describe.each([
  ['over a socket', false],
  ['within this process', true],
])('requests %s', (_, isLinked) => {
  const links = isLinked ? new Links() : undefined;
  const ask = links?.of('caller').fetch ?? fetch;

  test('are answered with status, headers and body, and the server knows client and length', async () => {
    const { url, seen } = await serve(links);
    for (const body of ['é'.repeat(500), new TextEncoder().encode('bytes')]) {
      const response = await ask(`${url}/echo?q=a%20b`, { method: 'POST', body });
      expect([response.status, response.ok, response.headers.get('x-query')]).toEqual([201, true, 'a b']);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(body));
    }
    const client = isLinked ? 'local' : '127.0.0.1';
    expect(seen).toEqual(['1000', '5'].map((length) => ({ client, length })));
  });

  test('are answered directly where others are', async () => {
    const { url } = await serve(links);
    const response = await ask(`${url}/direct?x=1`, { method: 'POST', body: 'text' });
    expect([response.status, response.headers.get('x-by'), await response.text()]).toEqual([
      ...[202, isLinked ? 'this process' : '127.0.0.1', 'POST x=1 text'],
    ]);
  });

  test('get refusals, and of failures no details, which are logged', async () => {
    const { url, lines } = await serve(links);
    const refused = await ask(`${url}/refuse`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await refused.json()).toMatchObject({ error: { code: 'limit-reached', message: 'not now' } });
    const failed = await ask(`${url}/fail`);
    expect([failed.status, (await failed.text()).includes('123')]).toEqual([500, false]);
    await eventually(() => expect(JSON.stringify(lines)).toContain('123'));
    expect((await ask(`${url}/absent`)).status).toBe(404);
  });

  test('with a body above the limit are refused, and one without a length is read', async () => {
    const { url, seen } = await serve(links);
    expect((await ask(`${url}/echo`, { method: 'POST', body: 'x'.repeat(1_001) })).status).toBe(413);
    expect(seen).toEqual([]);
    const body = new Blob(['in ', 'chunks']).stream();
    const response = await ask(`${url}/echo`, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await response.text()).toBe('in chunks');
  });

  test('that a page of another origin would make are refused', async () => {
    const { url, seen } = await serve(links);
    const headers = { origin: 'https://elsewhere.example' };
    const response = await ask(`${url}/echo`, { method: 'POST', body: 'x', headers });
    expect([response.status, seen]).toEqual([403, []]);
    expect(await response.json()).toMatchObject({ error: { code: 'origin-not-allowed' } });
  });

  test('end with the reason of their signal, and are not made where it has aborted', async () => {
    const { url, seen } = await serve(links);
    const caller = new AbortController();
    const waiting = ask(`${url}/wait`, { signal: caller.signal });
    await eventually(() => expect(seen.length).toBe(1));
    caller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(ask(`${url}/echo`, { method: 'POST', body: 'x', signal })).rejects.toThrow('gone');
    expect(seen.length).toBe(1);
  });

  test('under way end before their server has closed; later ones fail, and reach the next one on its port', async () => {
    const { url, port, seen, letGo, close } = await serve(links);
    const waiting = ask(`${url}/wait`).then((response) => response.text());
    await eventually(() => expect(seen.length).toBe(1));
    const closed = close();
    letGo();
    const ends: unknown[] = [];
    await Promise.all([waiting.then((text) => ends.push(text)), closed.then(() => ends.push('closed'))]);
    expect(ends).toContain('at last');
    await expect(ask(`${url}/direct`)).rejects.toThrow(TypeError);
    await serve(links, port);
    expect((await ask(`${url}/direct`)).status).toBe(202);
  });
});

test('a request under way is lost where the way between its parts breaks, and with the part that answers', async () => {
  const broken = new AbortController();
  const ways: LinkPaths = { travel: () => undefined, lost: () => broken.signal };
  const links = new Links({ ways });
  const [part, caller] = [links.of('part'), links.of('caller')];
  const { url, seen } = await serve(part);
  const waiting = caller.fetch(`${url}/wait`);
  await eventually(() => expect(seen.length).toBe(1));
  broken.abort();
  await expect(waiting).rejects.toThrow('fetch failed');
  await expect(caller.fetch(`${url}/direct`)).rejects.toThrow('fetch failed');
  part.cutOff();
  await expect(links.of('other').fetch(`${url}/direct`)).rejects.toThrow('fetch failed');
});

test('of the requests over sockets only one that is to outlast its part gets its answer, and its connection ends', async () => {
  const part = new Links().of('part');
  const { url, port, seen, letGo } = await serve(part);
  const answer = fetch(`${url}/outlast`);
  const lost = fetch(`${url}/wait`);
  await eventually(() => expect(seen.length).toBe(2));
  part.cutOff();
  await expect(lost).rejects.toThrow('fetch failed');
  const next = await serve(new Links().of('next'), port);
  letGo();
  expect(await (await answer).text()).toBe('at last');
  expect((await answer).headers.get('connection')).toBe('close');
  expect((await fetch(`${next.url}/direct`)).status).toBe(202);
});

test('where servers are found here only, nothing goes over a socket', async () => {
  const { url } = await serve(undefined);
  await expect(new Links({ isOpen: () => false }).fetch(`${url}/direct`)).rejects.toThrow('fetch failed');
});
