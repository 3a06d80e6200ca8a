import { gzipSync } from 'node:zlib';
import type { Context } from 'hono';

/** Answers requests with the same bytes, which are compressed when a client that reads such first asks. */
export function packedAnswer(
  content: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): (c: Context) => Response {
  const body = typeof content === 'string' ? new Uint8Array(Buffer.from(content)) : content;
  const all = { ...headers, vary: 'accept-encoding' };
  let packed: Uint8Array<ArrayBuffer> | undefined;
  return (c) => {
    if (!/\bgzip\b/.test(c.req.header('accept-encoding') ?? '')) return new Response(body, { headers: all });
    packed ??= new Uint8Array(gzipSync(body));
    return new Response(packed, { headers: { ...all, 'content-encoding': 'gzip' } });
  };
}
