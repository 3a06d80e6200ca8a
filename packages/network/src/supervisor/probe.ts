import { connect } from 'node:net';
import { ifValid, object, type Read, shortText } from '@switchyard/service/input';
import { readJson } from '@switchyard/service/lenient';
import { type HttpAnswer, httpGet } from './http-get.ts';
import { groupListens } from './listeners.ts';
import type { Readiness } from './spec.ts';

/** A service that is ready may have a reason all the same: its work is degraded. */
export type Answer =
  | { readonly ready: true; readonly reason?: string | undefined }
  | { readonly ready: false; readonly reason: string };

/** The ways of being ready that can be checked from outside. */
export type Askable = Exclude<Readiness, { kind: 'log' }>;

const CONNECT_MS = 2_000;
/** It does not listen yet. */
export const STARTING = 'is starting';

/** An answer before its sender is verified. */
type Unverified = Answer & { readonly pid?: number | undefined };

/**
 * Asks a service whether it is ready. A stranger that answers on the same port does not count: the answer may carry
 * the process's id, and the system shows who listens.
 *
 * @param pid The service's process, which leads the group of all its descendants.
 */
export async function probe(ready: Askable, pid: number): Promise<Answer> {
  const answer = await (ready.kind === 'http' ? askHttp(ready.url) : askTcp(ready));
  // A refusal needs no verification, which costs more than asking the service.
  if (!answer.ready && (answer.pid === undefined ? answer.reason === STARTING : answer.pid === pid)) return answer;
  const own = await groupListens(pid, ready.port);
  if (own === true || (own === undefined && (answer.pid === undefined || answer.pid === pid))) return answer;
  return { ready: false, reason: `port ${ready.port} is answered by another process` };
}

/** Whether a service that was ready still is: the tool asks until it is for the first time. Undefined if it cannot be probed. */
export async function probeAgain(
  { state, pid }: { readonly state: string; readonly pid?: number | undefined },
  ready: Readiness | undefined,
): Promise<Answer | undefined> {
  const isAsked = state === 'ready' && pid !== undefined && ready !== undefined && ready.kind !== 'log';
  return isAsked ? probe(ready, pid) : undefined;
}

async function askHttp(url: string): Promise<Unverified> {
  let answer: HttpAnswer;
  try {
    answer = await httpGet(url);
  } catch (error) {
    return { ready: false, reason: refusal(error) };
  }
  const { status, body } = answer;
  const { pid, reason } = readJson(body, health) ?? {};
  if (status < 300) return { ready: true, pid, reason };
  return { ready: false, pid, reason: reason ?? `${new URL(url).pathname} answered ${status}` };
}

function askTcp({ host, port }: { host: string; port: number }): Promise<Unverified> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const answer = (value: Unverified) => {
      socket.destroy();
      resolve(value);
    };
    socket.once('connect', () => {
      // A port that the system hands out to callers may be given to this very call, which then reaches itself.
      const self = socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress;
      answer(self ? { ready: false, reason: STARTING } : { ready: true });
    });
    socket.once('timeout', () => answer({ ready: false, reason: `port ${port} does not answer` }));
    socket.once('error', (error) => answer({ ready: false, reason: refusal(error) }));
  });
}

function refusal(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ECONNREFUSED' ? STARTING : error.message;
}

const health: Read<{ readonly pid?: number | undefined; readonly reason?: string | undefined }> = object({
  pid: ifValid((input) => input.integer()),
  reason: ifValid(shortText(10_000)),
});
