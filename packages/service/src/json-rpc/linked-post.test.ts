import { afterEach, describe, expect, test } from 'vitest';
import { httpApp } from '../http/http.ts';
import { isTransportFailure } from '../http/transport-failure.ts';
import { Links } from '../links.ts';
import { jsonRpcClient } from './client.ts';
import type { RpcContext } from './context.ts';
import { JsonRpcError } from './error.ts';
import { serveJsonRpc } from './serve.ts';
import { jsonRpcServer } from './server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The contract of calls over HTTP, and of calls to a server of the same process. */
describe.each([
  ['over HTTP', undefined],
  ['within this process', new Links()],
])('calls %s', (_, links) => {
  const never = new Promise<never>(() => {});
  async function serve(port = 0) {
    const seen: RpcContext[] = [];
    const server = jsonRpcServer({
      methods: {
        echo: (params, context) => {
          seen.push(context);
          return params;
        },
        refuse: () => {
          throw new JsonRpcError(-32_000, 'not today');
        },
        fail: () => {
          throw new Error('password is 123');
        },
        wait: () => never,
      },
      bounds: { maxBodyBytes: 1_000 },
    });
    const running = await serveJsonRpc({
      ...{ server, links, name: 'X_ADDR', app: httpApp(), graceMs: 50 },
      listen: { host: '127.0.0.1', port },
    });
    closers.push(running.close);
    return { ...running, seen };
  }

  test('are answered, one and several, and the server knows where they come from', async () => {
    const { url, seen } = await serve();
    const client = jsonRpcClient(url, { links });
    expect(await client.call('echo', { height: '5' })).toEqual({ height: '5' });
    expect(await client.batch([{ method: 'echo', params: [1] }])).toEqual([[1]]);
    expect(seen.map(({ from }) => from.peer)).toEqual(
      Array(2).fill(links === undefined ? '127.0.0.1' : 'this process'),
    );
  });

  test('get the errors of methods, and of foreseen ones only the code and message', async () => {
    const client = jsonRpcClient((await serve()).url, { links });
    await expect(client.call('refuse', [])).rejects.toMatchObject({ code: -32_000, message: 'not today' });
    const error = await client.call('fail', []).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JsonRpcError);
    expect(String(error)).not.toContain('123');
    await expect(client.call('absent', [])).rejects.toMatchObject({ code: -32_601 });
  });

  test('end at their deadline, or when their caller does not wait', async () => {
    const { url, seen } = await serve();
    await expect(jsonRpcClient(url, { links, timeoutMs: 20 }).call('wait', [])).rejects.toThrow('20 ms');
    const caller = new AbortController();
    const waiting = jsonRpcClient(url, { links }).call('wait', [], caller.signal);
    caller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const gone = jsonRpcClient(url, { links }).call('echo', [], AbortSignal.abort(new Error('gone')));
    await expect(gone).rejects.toThrow('gone');
    expect(seen).toEqual([]);
  });

  test('bound the length of an answer, and of a request as the server does', async () => {
    const { url } = await serve();
    const short = jsonRpcClient(url, { links, maxResponseBytes: 50 });
    await expect(short.call('echo', ['x'.repeat(100)])).rejects.toThrow('longer than 50 bytes');
    await expect(jsonRpcClient(url, { links }).call('echo', ['x'.repeat(2_000)])).rejects.toThrow();
    expect(await jsonRpcClient(url, { links }).call('echo', ['x'])).toEqual(['x']);
  });

  test('fail in transport where the server has closed, and reach a later one on its port', async () => {
    const { url, port, close } = await serve();
    const client = jsonRpcClient(url, { links });
    await client.call('echo', []);
    const elsewhere = jsonRpcClient(`${url}/elsewhere`, { links })
      .call('echo', [])
      .catch((reason: unknown) => reason);
    expect(await elsewhere).toBeInstanceOf(Error);
    await close();
    const error = await client.call('echo', []).catch((reason: unknown) => reason);
    expect(isTransportFailure(error)).toBe(true);
    await serve(port);
    expect(await client.call('echo', [1])).toEqual([1]);
  });
});
