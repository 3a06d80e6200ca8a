import { get } from 'node:http';
import { readJson } from '../files/read-json.ts';

const TIMEOUT_MS = 2_000;
const LONGEST_BODY = 1_000_000;

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** One GET over a connection of its own, bounded in time and size. (`fetch` takes 50 ms to load, and we ask often.) */
export function httpGet(url: string): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: TIMEOUT_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
        if (body.length > LONGEST_BODY) request.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    request.on('error', reject);
  });
}

/** The JSON value in a text, or `undefined`. */
export function jsonIn(text: string): unknown {
  return readJson(text, ({ value }) => value);
}
