import { gzipSync } from 'node:zlib';

/**
 * Answers requests with the same bytes, which are compressed when a client that reads such first asks.
 *
 * @returns takes the header `accept-encoding` of a request.
 */
export function packedAnswer(
  content: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): (accepted: string | undefined) => Response {
  const body = typeof content === 'string' ? new Uint8Array(Buffer.from(content)) : content;
  const all = { ...headers, vary: 'accept-encoding' };
  let packed: Uint8Array<ArrayBuffer> | undefined;
  return (accepted = '') => {
    if (!/\bgzip\b/.test(accepted)) return new Response(body, { headers: all });
    packed ??= new Uint8Array(gzipSync(body));
    return new Response(packed, { headers: { ...all, 'content-encoding': 'gzip' } });
  };
}
