import { silentLogger, systemClock } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { serveRpc } from './serve.ts';

test('a call whose client went away while it waited is not begun', async () => {
  const begun: unknown[] = [];
  const ends: (() => void)[] = [];
  const rpc = await serveRpc({
    methods: {
      eth_call(params) {
        begun.push(params);
        return new Promise((end) => void ends.push(() => end('0x')));
      },
      eth_chainId: () => '0x539',
    },
    http: { listen: { host: '127.0.0.1', port: 0 }, name: 'HTTP' },
    log: silentLogger,
    clock: systemClock,
  });
  try {
    const ask = (params: unknown, method = 'eth_call', signal?: AbortSignal) =>
      fetch(rpc.http.url, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        ...(signal === undefined ? {} : { signal }),
      });
    // Two calls are as many as run for one client at a time.
    const running = [ask(1), ask(2)];
    await eventually(() => begun.length === 2);
    const leaving = new AbortController();
    const gone = ask(3, 'eth_call', leaving.signal);
    // Both are there when something that was sent after them is answered.
    const staying = ask(4);
    await ask([], 'eth_chainId');
    leaving.abort();
    await expect(gone).rejects.toThrow();
    await ask([], 'eth_chainId');
    for (const end of ends.splice(0)) end();
    await Promise.all(running);
    await eventually(() => begun.includes(4));
    expect(begun).not.toContain(3);
    for (const end of ends.splice(0)) end();
    expect((await staying).status).toBe(200);
  } finally {
    await rpc.close();
  }
});
