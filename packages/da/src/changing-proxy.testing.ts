/** A way to a JSON-RPC server that changes answers, like an untrusted node. */
import { createServer } from 'node:http';

export interface ChangingProxy {
  readonly url: string;
  /** Methods of the requests that came, in their order. */
  readonly methods: readonly string[];
  /** From now on, results pass through this function; without one, they pass unchanged. */
  change(to: Change | undefined): void;
  close(): Promise<void>;
}

/** Gets the answer as text too, for changes that are easier there. */
// biome-ignore lint/suspicious/noExplicitAny: answers are taken apart by tests that know their form
export type Change = (method: string, result: any) => unknown;

export async function changingProxy(to: string, authorization?: string): Promise<ChangingProxy> {
  const methods: string[] = [];
  let change: Change | undefined;
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      void (async () => {
        const body = Buffer.concat(chunks).toString();
        const { method } = JSON.parse(body) as { method: string };
        methods.push(method);
        const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
        const answer = (await (await fetch(to, { method: 'POST', headers, body })).json()) as Record<string, unknown>;
        const changed =
          change === undefined || !('result' in answer) ? answer : { ...answer, result: change(method, answer.result) };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(changed));
      })().catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    url: `http://127.0.0.1:${address.port}`,
    methods,
    change(next) {
      change = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
