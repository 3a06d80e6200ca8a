import { request } from 'node:http';

const ANSWER_MS = 10_000;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A server of several host names at one address: an ingress controller, or a reverse proxy. */
export interface Front {
  /** Requests a path as a client does that has resolved this name. */
  get(host: string, path: string): Promise<Answer>;
  /** Posts JSON in that way. */
  post(host: string, path: string, body: unknown): Promise<Answer>;
}

export function makeFront(address: string, port = 80): Front {
  return {
    get: (host, path) => ask({ address, port }, { method: 'GET', host, path }),
    post: (host, path, body) => ask({ address, port }, { method: 'POST', host, path, body: JSON.stringify(body) }),
  };
}

interface Asked {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly body?: string;
}

/** Not `fetch`, which does not let its caller choose the name of the host. */
function ask(
  to: { readonly address: string; readonly port: number },
  { method, host, path, body }: Asked,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { host, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const call = request(
      { host: to.address, port: to.port, path, method, headers, timeout: ANSWER_MS, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.once('error', reject);
      },
    );
    call.once('timeout', () => call.destroy(new Error(`${host}${path}: no answer within ${ANSWER_MS} ms`)));
    call.once('error', reject);
    call.end(body);
  });
}
