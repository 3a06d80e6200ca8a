import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** Result of one request through the ingress. */
export type Reached =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string }
  /** Connected; an ingress controller may let a request wait for its pod. */
  | { readonly kind: 'silent'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

const ANSWER_MS = 5_000;
const MAX_BYTES = 262_144;

/**
 * Asks for a URL at the address of the ingress, since its name may not resolve here.
 *
 * @param address By default, the address that the name resolves to.
 * @param body JSON, which is posted.
 */
export function reach(url: URL, address: string | undefined, body?: string): Promise<Reached> {
  const isTls = url.protocol === 'https:' || url.protocol === 'wss:';
  const headers = { host: url.host, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const options: RequestOptions = {
    ...{ host: address ?? url.hostname, path: url.pathname, port: url.port || (isTls ? 443 : 80) },
    ...{ method: body === undefined ? 'GET' : 'POST', headers, agent: false, signal: AbortSignal.timeout(ANSWER_MS) },
  };
  return new Promise((resolve) => {
    let isConnected = false;
    const failed = (error: Error) => {
      const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
      resolve({
        kind: isConnected ? 'silent' : 'unreachable',
        reason: error.name === 'AbortError' ? 'no answer in time' : (code ?? error.message),
      });
    };
    // Whether browsers accept the certificate is not checked here, only whether the rollup answers.
    const call = isTls
      ? requestHttps({ ...options, servername: url.hostname, rejectUnauthorized: false })
      : requestHttp(options);
    call.once('error', failed);
    call.once('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    call.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_BYTES) response.destroy(new Error('the answer is too long'));
      });
      response.once('end', () => resolve({ kind: 'answer', status: response.statusCode ?? 0, text }));
      response.once('error', failed);
    });
    call.end(body);
  });
}
