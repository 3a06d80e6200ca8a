/*
 * Server-sent events of our services, followed until the reader stops. This file also runs in web pages.
 */
import { isAbort, readBody, sleep, systemClock, systemRandom, TransportFailure } from '@switchyard/service/browser';
import { type Input, InvalidData, parseInput } from '@switchyard/service/input';
import { ApiRefused, getAnswer } from '../http/http-api.ts';
import { EventParser } from './event-parser.ts';

export interface StreamEvent {
  /** Kind of the event, such as `message`. */
  readonly kind: string;
  /** Position for a later stream; undefined for events that have no place. */
  readonly id: string | undefined;
  readonly data: Input;
}

export interface FollowOptions {
  readonly url: string;
  /** Resumes behind this event; without it, the stream begins with new events. */
  readonly lastId?: string | undefined;
  readonly signal: AbortSignal;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number;
}

/** Services send something at least every 15 seconds. */
const MAX_SILENCE_MS = 45_000;
const INITIAL_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;
const MAX_REFUSAL_BYTES = 65_536;

/**
 * The events of a stream, each once. A connection that is lost, or is silent for too long, is made again and resumes behind
 * the last event; so is a stream that the service ended, and a stream that it has no room for now.
 *
 * @throws {ApiRefused} if the service refuses for good, such as for an id from a different stream.
 * @throws {InvalidData} if it answers with something other than events.
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal, random = systemRandom } = options;
  let { lastId } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const event of oneStream(options, lastId)) {
        failures = 0;
        lastId = event.id ?? lastId;
        if (event.kind !== 'end') yield event;
      }
    } catch (error) {
      if (isAbort(error, signal)) return;
      if (error instanceof InvalidData) throw error;
      if (error instanceof ApiRefused && error.status !== 429 && error.status < 500) throw error;
    }
    const pause = Math.min(MAX_PAUSE_MS, INITIAL_PAUSE_MS * 2 ** failures) * (0.5 + random() / 2);
    failures += 1;
    await sleep(pause, signal).catch(() => undefined);
  }
}

async function* oneStream({ url, signal, fetch = globalThis.fetch }: FollowOptions, lastId: string | undefined) {
  const ended = new AbortController();
  let stopTimer = (): void => undefined;
  const restartTimer = () => {
    stopTimer();
    stopTimer = systemClock.after(MAX_SILENCE_MS, () => ended.abort(new TransportFailure(`no event from ${url}`)));
  };
  try {
    restartTimer();
    const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, ended.signal]) });
    if (!response.ok || response.body === null) {
      getAnswer(url, response.status, await readBody(response, MAX_REFUSAL_BYTES), ApiRefused);
      throw new InvalidData(`${url}: expected a stream of events, got a body that is none`);
    }
    const parser = new EventParser();
    const decoder = new TextDecoder();
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      restartTimer();
      for (const event of parser.add(decoder.decode(value, { stream: true }))) {
        yield { ...event, data: parseInput(event.data, event.kind) };
      }
    }
  } finally {
    stopTimer();
    // Closes the connection if the reader has enough.
    ended.abort();
  }
}
