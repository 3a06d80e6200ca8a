import { readBody } from '@switchyard/service/browser';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The head of an answer; `read` takes the body. */
export interface Answer {
  readonly status: number;
  /** @throws {AnswerTooLong} */
  read(maxBytes: number): Promise<Uint8Array>;
}

/** One call of an HTTP API. */
export type Call = (url: string, init: RequestInit) => Promise<Answer>;

export const callBy =
  (fetch: Fetch): Call =>
  async (url, init) => {
    const response = await fetch(url, init);
    return { status: response.status, read: (maxBytes) => readBody(response, maxBytes) };
  };

/** How a page calls. */
export const call: Call = (url, init) => callBy(globalThis.fetch)(url, init);
