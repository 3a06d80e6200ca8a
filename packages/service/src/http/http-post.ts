import { type CallOptions, httpCall } from './http-call.ts';

export interface PostOptions extends Pick<CallOptions, 'signal' | 'connectTimeoutMs'> {
  /** Bound on the answer's body. */
  readonly maxBytes: number;
  /** Alongside those about the body. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PostAnswer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/**
 * One POST of a JSON text.
 *
 * @throws {AnswerTooLong}, the signal's reason, or the system's error of the connection.
 */
export async function httpPost(
  url: string,
  body: string,
  { maxBytes, headers, ...options }: PostOptions,
): Promise<PostAnswer> {
  const { status, read } = await httpCall(url, {
    ...options,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: Buffer.from(body),
  });
  return { status, bytes: await read(maxBytes) };
}
