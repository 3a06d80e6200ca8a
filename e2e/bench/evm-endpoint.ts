import { Agent, request } from 'node:http';

/** An Ethereum node under measurement, over connections that stay open. */
export class Endpoint {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  #id = 0;

  constructor(
    readonly name: string,
    readonly url: string,
  ) {}

  /** @throws where the node answers with an error. */
  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    this.#id += 1;
    const answer = await this.post(JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params }));
    // One answer to one request, by the protocol.
    const { result, error } = answer as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(`${this.name}: ${method}: ${error.message}`);
    return result;
  }

  /** Sends a body as it is, and reads the answer. */
  post(body: string): Promise<unknown> {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const outgoing = request(this.url, { method: 'POST', agent: this.#agent, headers }, (incoming) => {
        const chunks: Uint8Array[] = [];
        incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          try {
            resolve(JSON.parse(text));
          } catch {
            reject(new Error(`${this.name}: status ${incoming.statusCode}: ${text.slice(0, 200)}`));
          }
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  async blockNumber(): Promise<number> {
    return Number(await this.call('eth_blockNumber'));
  }

  close(): void {
    this.#agent.destroy();
  }
}
