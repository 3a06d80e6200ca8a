import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { AnswerTooLong } from './http-read.ts';

export interface CallOptions {
  readonly method: string;
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** For name lookup and TCP together. */
  readonly connectTimeoutMs?: number | undefined;
}

/** The head of an answer. */
export interface CallAnswer {
  readonly status: number;
  /** The body, to be read at once. @throws {AnswerTooLong} */
  read(maxBytes: number): Promise<Uint8Array>;
}

/** If nothing answers, the system itself tries for two minutes. */
const CONNECT_MS = 10_000;

/** Connections stay open between calls, and keep no process alive. */
const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

/**
 * One call by `node:http`: it costs about half of `fetch`, and does not load it, which takes longer than a
 * program of Node takes to start. Redirects are not followed.
 *
 * @throws the signal's reason, or the system's error of the connection.
 */
export function httpCall(
  url: string,
  { method, signal, headers, body, connectTimeoutMs = CONNECT_MS }: CallOptions,
): Promise<CallAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': body.length };
    const options = { method, headers: { ...headers, ...length }, signal };
    const receive = (incoming: IncomingMessage) => {
      resolve({ status: incoming.statusCode ?? 0, read: (maxBytes) => collect(incoming, maxBytes) });
    };
    const outgoing = url.startsWith('https:')
      ? httpsRequest(url, { ...options, agent: agents.https }, receive)
      : httpRequest(url, { ...options, agent: agents.http }, receive);
    outgoing.on('error', reject);
    outgoing.on('socket', (socket) => {
      if (!socket.connecting) return;
      const late = setTimeout(() => {
        outgoing.destroy(new Error(`no connection to ${new URL(url).origin} within ${connectTimeoutMs} ms`));
      }, connectTimeoutMs);
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(late));
    });
    outgoing.end(body);
  });
}

function collect(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else incoming.destroy(new AnswerTooLong(`the answer is longer than ${maxBytes} bytes`));
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
  });
}
