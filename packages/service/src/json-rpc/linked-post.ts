import { httpPost, type PostAnswer, type PostOptions } from '../http/http-post.ts';
import { AnswerTooLong } from '../http/http-read.ts';
import { type Found, type LinkedRpc, type Links, orAborted } from '../links.ts';
import { turn } from '../timing/clock.ts';

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

function linked(server: Found<LinkedRpc>, body: string, { signal, maxBytes }: PostOptions): Promise<PostAnswer> {
  const signals = [signal, ...server.lost];
  const failed = (): unknown => (signal.aborted ? signal.reason : new Error('the connection was lost'));
  const answer = async (): Promise<PostAnswer> => {
    // Other work of the event loop comes between, like for a call that arrives by a socket.
    await turn();
    await server.there();
    if (signals.some(({ aborted }) => aborted)) throw failed();
    const bytes = Buffer.from(await server.answer(body, signal));
    await server.back();
    if (bytes.length > maxBytes) throw new AnswerTooLong(`the answer is longer than ${maxBytes} bytes`);
    return { status: 200, bytes };
  };
  return orAborted(answer(), signals, failed);
}
