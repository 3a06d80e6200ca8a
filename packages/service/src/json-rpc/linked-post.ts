import { turn } from '../clock.ts';
import { httpPost, type PostAnswer, type PostOptions } from '../http-post.ts';
import { AnswerTooLong } from '../http-read.ts';
import type { Found, LinkedRpc, Links } from '../links.ts';

/**
 * POSTs of JSON texts which a server of this process answers directly while it listens at the URL, and any other one over HTTP, with
 * the bounds of `httpPost`.
 */
export function linkedPost(links: Links): typeof httpPost {
  const post = (from: Links, url: string, body: string, options: PostOptions): Promise<PostAnswer> => {
    const server = from.findRpc(url);
    const isLong = server !== undefined && Buffer.byteLength(body) > server.maxBodyBytes;
    if (server !== undefined && !isLong) return linked(server, body, options);
    if (!from.isClosed(url)) return httpPost(url, body, options);
    const problem = isLong ? `the request is longer than ${server.maxBodyBytes} bytes` : `nothing listens at ${url}`;
    return Promise.reject(new Error(problem));
  };
  return (url, body, options) =>
    links.deliver(url, (from, isAnswered) =>
      post(from, url, body, isAnswered ? options : { ...options, signal: new AbortController().signal }),
    );
}

async function linked(server: Found<LinkedRpc>, body: string, { signal, maxBytes }: PostOptions): Promise<PostAnswer> {
  const cut = cutBy(signal, server.lost);
  try {
    // Other work of the event loop comes between, as it does where a call arrives by a socket.
    await cut.race(turn());
    const there = server.there();
    if (there !== undefined) await cut.race(there);
    const bytes = Buffer.from(await cut.race(server.answer(body, signal)));
    const back = server.back();
    if (back !== undefined) await cut.race(back);
    if (bytes.length > maxBytes) throw new AnswerTooLong(`the answer is longer than ${maxBytes} bytes`);
    return { status: 200, bytes };
  } finally {
    cut.end();
  }
}

/** Ends what is waited for when the caller no longer waits, or either part ends. */
function cutBy(signal: AbortSignal, lost: readonly AbortSignal[]) {
  let reject: ((reason: unknown) => void) | undefined;
  const reason = (): unknown => (signal.aborted ? signal.reason : new Error('the connection was lost'));
  const cut = (): void => reject?.(reason());
  const all = [signal, ...lost];
  for (const each of all) each.addEventListener('abort', cut, { once: true });
  return {
    race<T>(work: Promise<T>): Promise<T> {
      return new Promise<T>((resolve, fail) => {
        reject = fail;
        work.then(resolve, fail);
        if (all.some(({ aborted }) => aborted)) cut();
      });
    },
    end(): void {
      for (const each of all) each.removeEventListener('abort', cut);
    },
  };
}
