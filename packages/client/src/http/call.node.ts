import { httpCall } from '@switchyard/service/http-call';
import { type Call, callBy } from './call-by-fetch.ts';

/** Calls of a process: simple requests, the only kind that our clients make, by `node:http`; all others by `fetch`. */
export const call: Call = async (url, init) => {
  const { method = 'GET', headers = {}, body, signal, ...others } = init;
  const hasPlainHeaders = !Array.isArray(headers) && Object.getPrototypeOf(headers) === Object.prototype;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const isPlainBody = bytes == null || bytes instanceof Uint8Array;
  if (!signal || !hasPlainHeaders || !isPlainBody || Object.keys(others).length > 0)
    return callBy(globalThis.fetch)(url, init);
  const plain = { accept: '*/*', ...(headers as Record<string, string>) };
  const answer = await httpCall(url, { method, headers: plain, body: bytes ?? undefined, signal });
  if (!REDIRECTS.has(answer.status)) return answer;
  await answer.read(MAX_REDIRECT_BYTES);
  return callBy(globalThis.fetch)(url, init);
};

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECT_BYTES = 65_536;
