import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

/** A layer that asks for a token, as a light node does: a proxy of a layer without tokens. */
export interface TokenProxy {
  readonly url: string;
  /** Without the token. */
  readonly unprotected: string;
  readonly token: string;
  /** Calls without the token. */
  refused(): number;
  close(): Promise<void>;
}

export async function tokenProxy(to: string): Promise<TokenProxy> {
  const token = randomBytes(32).toString('base64url');
  let refused = 0;
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      refused += 1;
      request.resume();
      response.writeHead(401).end();
      return;
    }
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      void fetch(to, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
        .catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    url: `http://127.0.0.1:${address.port}`,
    unprotected: to,
    token,
    refused: () => refused,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
