import type { IncomingMessage, ServerResponse } from 'node:http';
import { peerOf } from './access/peer.ts';
import { httpErrorOf } from './http-error.ts';
import { toJson } from './json.ts';
import type { Logger } from './log.ts';

/**
 * A route that is asked so often that a `Request`, a `Response` and their streams for each would be a good part of the work.
 * The application has the same route, for bodies whose length is not stated.
 */
export interface DirectPost {
  readonly path: string;
  /**
   * @param body As UTF-8; never longer than the server's limit.
   */
  answer(body: string, asker: Asker): Promise<DirectAnswer>;
}

/** Who waits for an answer. */
export interface Asker {
  /** For limits: see `peerOf`. */
  readonly client: string;
  /** Whether nobody is there to be answered any more. */
  readonly isGone: boolean;
}

export interface DirectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** @returns Whether it took the request; what it leaves is read by nobody yet. */
export function takeDirect(
  { path, answer }: DirectPost,
  request: IncomingMessage,
  response: ServerResponse,
  { maxBodyBytes, log }: { readonly maxBodyBytes: number; readonly log?: Logger | undefined },
): boolean {
  const stated = Number(request.headers['content-length'] ?? Number.NaN);
  // Node's parser lets no more than the stated length through.
  if (request.method !== 'POST' || request.url !== path || !(stated <= maxBodyBytes)) return false;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A sender that goes away before its end has no answer.
  request.on('error', () => undefined);
  request.on('end', () => {
    const [first] = chunks;
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    const asker: Asker = {
      client: peerOf(request.socket.remoteAddress) ?? 'local',
      get isGone() {
        return response.destroyed;
      },
    };
    answer(bytes.toString('utf8'), asker).then(
      (given) => send(response, given),
      (error: unknown) => {
        log?.error({ err: error, path }, 'a request failed');
        const { status, code, message, facts } = httpErrorOf(error);
        send(response, { status, headers: JSON_TYPE, body: toJson({ error: { code, message, facts } }) });
      },
    );
  });
  return true;
}

const JSON_TYPE = { 'content-type': 'application/json' };

function send(response: ServerResponse, { status, headers, body }: DirectAnswer): void {
  if (body === undefined) response.writeHead(status, headers).end();
  // As text, which Node sends together with the header.
  else response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
