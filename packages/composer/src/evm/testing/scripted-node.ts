import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | 'nothing';
type Handler = (params: readonly unknown[], socket: WebSocket) => Answer;

const SUBSCRIPTION = '0x1';

/** An EVM node on a free port whose answers and faults a test chooses. */
export class ScriptedNode {
  /** Answer of `txpool_content`, by sender and nonce. */
  pending: Record<string, Record<string, unknown>> = {};
  blockNumber = 1n;
  /** Methods called so far. */
  readonly calls: string[] = [];
  readonly handlers: Record<string, Handler> = {
    eth_subscribe: () => ({ result: SUBSCRIPTION }),
    eth_blockNumber: () => ({ result: `0x${this.blockNumber.toString(16)}` }),
    txpool_content: () => ({ result: { pending: this.pending, queued: {} } }),
  };
  readonly #server: WebSocketServer;

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket) => {
      socket.on('message', (data) => this.#answer(socket, String(data)));
      socket.on('error', () => undefined);
    });
  }

  static async start(port = 0, options: { readonly autoPong?: boolean } = {}): Promise<ScriptedNode> {
    const server = new WebSocketServer({ host: '127.0.0.1', port, ...options });
    await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
    return new ScriptedNode(server);
  }

  get port(): number {
    // It listens on a TCP port.
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.#server.clients.size;
  }

  /** Announces a pending transaction to all connected clients. */
  announce(result: unknown): void {
    this.send(
      JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: SUBSCRIPTION, result } }),
    );
  }

  send(text: string): void {
    for (const socket of this.#server.clients) socket.send(text);
  }

  /** Ends all connections as a crash does. */
  cut(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(socket: WebSocket, text: string): void {
    // Sent by our own client.
    const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: unknown[] };
    this.calls.push(method);
    const handler = this.handlers[method];
    const answer = handler?.(params, socket) ?? { error: { code: -32_601, message: `no method ${method}` } };
    if (answer !== 'nothing') socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }
}
