import { Agent, request } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HttpCall {
  readonly method: string;
  readonly path: string;
  readonly body?: Uint8Array | string;
  readonly type?: string;
  /** Ends the connection when the request is written. */
  readonly cut?: boolean;
}

export interface HttpClientOptions {
  /** How long an answer may take. */
  readonly timeoutMs?: number;
  /** A connection of its own for every request, as new users have. */
  readonly fresh?: boolean;
}

const MAX_SOCKETS = 128;

/** HTTP to one server, over connections that stay open unless configured otherwise. */
export class HttpClient {
  readonly #agent: Agent;
  readonly timeoutMs: number;

  constructor(
    readonly url: string,
    { timeoutMs = 15_000, fresh = false }: HttpClientOptions = {},
  ) {
    this.timeoutMs = timeoutMs;
    this.#agent = new Agent({ keepAlive: !fresh, maxSockets: fresh ? Number.POSITIVE_INFINITY : MAX_SOCKETS });
  }

  call({ method, path, body, type = 'application/octet-stream', cut = false }: HttpCall): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
      // A connection that is cut on purpose is no loss to others.
      const agent = cut ? false : this.#agent;
      const outgoing = request(
        `${this.url}${path}`,
        { method, agent, headers, timeout: this.timeoutMs },
        (incoming) => {
          const chunks: Uint8Array[] = [];
          incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
          );
          incoming.on('error', reject);
        },
      );
      const late = setTimeout(
        () => outgoing.destroy(new Error(`no answer within ${this.timeoutMs} ms`)),
        this.timeoutMs,
      );
      outgoing.on('close', () => clearTimeout(late));
      outgoing.on('error', reject);
      outgoing.end(body, () => {
        if (cut) outgoing.socket?.resetAndDestroy();
      });
    });
  }

  /** @throws {Error} for anything but a JSON body with status 200. */
  async json(path: string): Promise<unknown> {
    const { status, text } = await this.call({ method: 'GET', path });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text.slice(0, 200)}`);
    return JSON.parse(text) as unknown;
  }

  /** One call of JSON-RPC 2.0. @throws {RpcError} for refusals of the server. */
  async rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const { text } = await this.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    // JSON-RPC defines these members; they are checked on use.
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: { code: number; message: string } };
    if (error !== undefined) throw new RpcError(error.code, error.message);
    return result;
  }

  post(body: string, cut = false): Promise<HttpAnswer> {
    return this.call({ method: 'POST', path: '/', body, type: 'application/json', cut });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}
