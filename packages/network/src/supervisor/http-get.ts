import { type RequestOptions, request } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { readJson } from '@switchyard/service/lenient';

const TIMEOUT_MS = 2_000;
const LONGEST_BODY = 1_000_000;

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** One GET, bounded in time and size. (`fetch` takes 50 ms to load, and we ask often.) */
export async function httpGet(url: string): Promise<HttpAnswer> {
  return httpAsk({ ...urlToHttpOptions(new URL(url)), timeout: TIMEOUT_MS }, LONGEST_BODY);
}

/** One request over a connection of its own. */
export function httpAsk(
  options: RequestOptions & { readonly timeout: number },
  longest = Number.POSITIVE_INFINITY,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const call = request({ ...options, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
        if (body.length > longest) call.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${options.timeout} ms`)));
    call.on('error', reject);
    call.end();
  });
}

/** The JSON value in a text, or `undefined`. */
export function jsonIn(text: string): unknown {
  return readJson(text, ({ value }) => value);
}
