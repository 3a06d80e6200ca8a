import { turn } from '../clock.ts';
import { httpPost, type PostAnswer, type PostOptions } from '../http-post.ts';
import { AnswerTooLong } from '../http-read.ts';
import type { Links } from '../links.ts';

/**
 * POSTs of JSON texts which a server of this process answers directly while it listens at the URL, and any other one over HTTP, with
 * the bounds of `httpPost`.
 */
export function linkedPost(links: Links): typeof httpPost {
  return (url, body, options) => {
    const server = links.findRpc(url);
    // The server refuses a longer one, in its own way.
    if (server === undefined || Buffer.byteLength(body) > server.maxBodyBytes) return httpPost(url, body, options);
    return within(options, () => server.answer(body, options.signal));
  };
}

function within({ signal, maxBytes }: PostOptions, answer: () => Promise<string>): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => reject(signal.reason);
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    // Other work of the event loop comes between, as it does where a call arrives by a socket.
    turn()
      .then(() => (signal.aborted ? '' : answer()))
      .then((text) => {
        const bytes = Buffer.from(text);
        if (bytes.length <= maxBytes) resolve({ status: 200, bytes });
        else reject(new AnswerTooLong(`the answer is longer than ${maxBytes} bytes`));
      }, reject)
      .finally(() => signal.removeEventListener('abort', cancel));
  });
}
