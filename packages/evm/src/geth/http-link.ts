import { createHmac } from 'node:crypto';
import { httpPost, JsonRpcError, jsonRpcClient, type Secret, wallClock } from '@switchyard/service';
import { type Link, LinkLost, MAX_ANSWER_DEPTH } from './link.ts';

export interface HttpLinkOptions {
  /** Serves `eth`, `debug` and `testing`, and must be on a loopback or private address. */
  readonly rpcUrl: string;
  /** Serves `engine` to owners of the token. */
  readonly engineUrl: string;
  /** 32 bytes, shared with the client. */
  readonly jwtSecret: Secret<Uint8Array>;
  /** Seconds since 1970. */
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

const MAX_ANSWER_BYTES = 512 * 1_048_576;

/** JSON-RPC to the two HTTP ports of a client that cannot be reached over a socket. */
export function httpLink(options: HttpLinkOptions): Link {
  const {
    rpcUrl,
    engineUrl,
    jwtSecret,
    now = () => Math.floor(wallClock.unixMs() / 1_000),
    timeoutMs = 30_000,
  } = options;
  const bounds = { maxResponseBytes: MAX_ANSWER_BYTES, maxDepth: MAX_ANSWER_DEPTH };
  const clients = (ms: number) => ({
    rpc: jsonRpcClient(rpcUrl, { ...bounds, timeoutMs: ms }),
    engine: jsonRpcClient(engineUrl, {
      ...bounds,
      timeoutMs: ms,
      post: (url, body, post) =>
        httpPost(url, body, { ...post, headers: { authorization: `Bearer ${jwtToken(jwtSecret.reveal(), now())}` } }),
    }),
  });
  const usual = clients(timeoutMs);
  return {
    target: rpcUrl,

    async call(method, params, { signal, timeoutMs: ms } = {}) {
      const { rpc, engine } = ms === undefined ? usual : clients(ms);
      try {
        return await (method.startsWith('engine_') ? engine : rpc).call(method, params, signal);
      } catch (error) {
        if (error instanceof JsonRpcError || signal?.aborted === true) throw error;
        throw new LinkLost(error instanceof Error ? error.message : String(error), { cause: error });
      }
    },

    close() {},
  };
}

/**
 * A token of the Engine API: HS256 over the time it was made at, which the client compares with its own clock.
 *
 * @param seconds Since 1970.
 */
export function jwtToken(secret: Uint8Array, seconds: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iat: seconds })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
