/*
 * The HTTP interfaces of our services. This file also runs in web pages, so it uses nothing of Node.
 */

import { AnswerTooLong, TransportFailure, withDeadline } from '@switchyard/service/browser';
import { type AnswerOf, type Contract, type ParamsOf, requestPath, type schema } from '@switchyard/service/contract';
import { type Input, parseInput } from '@switchyard/service/input';
import { call } from '#call';
import { callBy, type Fetch } from './call-by-fetch.ts';

export { type AnswerOf, type ParamsOf, requestPath } from '@switchyard/service/contract';
export { Input, ifValid, object, type Read, validItems } from '@switchyard/service/input';

/** The service answered that it does not perform the request. */
export class ApiRefused extends Error {
  override readonly name: string = 'ApiRefused';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

export interface HttpApiOptions {
  readonly url: string;
  /** Deadline of every call, in addition to the wait that a call requests. */
  readonly timeoutMs?: number;
  readonly maxAnswerBytes?: number;
  /** Instead of the usual way of the platform. */
  readonly fetch?: Fetch | undefined;
}

/** One call. `waitMs` is the time that the service shall wait, on top of the usual deadline. */
export type HttpApi = (path: string, init?: RequestInit, waitMs?: number) => Promise<Input>;

/**
 * Calls to a service that answers in JSON.
 *
 * @param service For messages, such as `rollup`.
 * @param Refused Class of the error if the service refuses; without an answer it is a `TransportFailure`.
 */
export function httpApi(
  service: string,
  { url, timeoutMs = 10_000, maxAnswerBytes = 16 * 1_048_576, fetch }: HttpApiOptions,
  Refused: typeof ApiRefused = ApiRefused,
): HttpApi {
  const base = url.replace(/\/+$/, '');
  const send = fetch === undefined ? call : callBy(fetch);
  return (path, init = {}, waitMs = 0) => {
    const { signal, ...rest } = init;
    const limit = { ms: timeoutMs + waitMs, signal: signal ?? undefined, what: `${base}${path}` };
    return withDeadline(limit, async (cut) => {
      const { status, read } = await send(`${base}${path}`, { ...rest, signal: cut }).catch((error: unknown) => {
        throw new TransportFailure(`no answer from the ${service} at ${base}`, { cause: error });
      });
      const body = await read(maxAnswerBytes).catch((error: unknown) => {
        if (error instanceof AnswerTooLong) throw error;
        throw new TransportFailure(`the answer of the ${service} at ${base} broke off`, { cause: error });
      });
      return getAnswer(path, status, body, Refused);
    });
  };
}

export type AnyContract = Contract<schema.Members, schema.Members, unknown>;

/** A call of a route. @throws {InvalidData} for an answer that violates its contract. */
export type ContractApi = <C extends AnyContract>(
  contract: C,
  params: ParamsOf<C>,
  init?: RequestInit,
  waitMs?: number,
) => Promise<AnswerOf<C>>;

/** Calls of the routes of a contract, with typed parameters and answers. */
export function contractApi(call: HttpApi): ContractApi {
  return async <C extends AnyContract>(contract: C, params: ParamsOf<C>, init?: RequestInit, waitMs?: number) => {
    const [schema] = Object.values(contract.answers);
    // A stream of events is not asked for by a call.
    if (schema === undefined || 'mediaType' in schema) throw new Error(`${contract.url} answers no JSON`);
    const answer = await call(
      requestPath(contract, params),
      { method: contract.method.toUpperCase(), ...init },
      waitMs,
    );
    return schema.read(answer) as AnswerOf<C>;
  };
}

/** @throws {ApiRefused} for an answer that is a refusal, {TransportFailure} for that of a proxy without the service. */
export function getAnswer(path: string, status: number, bytes: Uint8Array, Refused: typeof ApiRefused): Input {
  const text = new TextDecoder().decode(bytes);
  let answer: Input;
  try {
    answer = parseInput(text, path);
  } catch (error) {
    // The answer of a proxy that cannot reach the service.
    if (status >= 500) throw new TransportFailure(`${path}: status ${status} without JSON`);
    if (!isOk(status)) throw new Refused(status, 'http', `${path}: status ${status}`);
    throw error;
  }
  if (!isOk(status)) throw getRefusal(status, path, answer, Refused);
  return answer;
}

const isOk = (status: number) => status >= 200 && status < 300;

function getRefusal(status: number, path: string, answer: Input, Refused: typeof ApiRefused): ApiRefused {
  try {
    const error = answer.at('error');
    const facts = error.at('facts').optional((each) => each.object());
    return new Refused(status, error.at('code').text(), error.at('message').text(), facts);
  } catch {
    return new Refused(status, 'http', `${path}: status ${status}`);
  }
}
