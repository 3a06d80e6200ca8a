import { type HttpAnswer, httpGet, jsonIn } from '../http-get.ts';
import { valueAt } from '../toml.ts';
import { listens } from './processes.ts';
import type { Readiness } from './spec.ts';

export type Answer = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/**
 * Asks a service whether it is ready. A stranger that answers on the same port does not count: the answer may carry
 * the process's id, and on Linux the system says who listens.
 */
export async function probe({ url, port }: Readiness, pid: number): Promise<Answer> {
  let answer: HttpAnswer;
  try {
    answer = await httpGet(url);
  } catch (error) {
    return { ready: false, reason: refusal(error) };
  }
  const { status, body } = answer;
  const answering = pidIn(body);
  if ((answering !== undefined && answering !== pid) || listens(pid, port) === false) {
    return { ready: false, reason: `port ${port} is answered by another process` };
  }
  if (status < 300) return { ready: true };
  return { ready: false, reason: reasonIn(body) ?? `${new URL(url).pathname} says ${status}` };
}

function refusal(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ECONNREFUSED' ? 'is starting' : error.message;
}

function pidIn(body: string): number | undefined {
  const pid = valueAt(jsonIn(body), ['pid']);
  return typeof pid === 'number' ? pid : undefined;
}

function reasonIn(body: string): string | undefined {
  const reason = valueAt(jsonIn(body), ['reason']);
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
}
