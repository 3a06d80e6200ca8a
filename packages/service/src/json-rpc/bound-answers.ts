import type { ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { clientOf } from '../access/client.ts';
import type { Clock } from '../timing/clock.ts';
import { LargeAnswers } from './large-answers.ts';

/**
 * For routes whose answers may be megabytes long: each answer is made when there is room for it, and counts until its
 * client has read it.
 */
export function boundAnswers(clock: Clock): MiddlewareHandler {
  const answers = new LargeAnswers(clock);
  return async (c, next) => {
    const { outgoing } = (c.env ?? {}) as { readonly outgoing?: ServerResponse };
    // An application that is called in memory has no connection.
    if (outgoing === undefined) return next();
    const reader = { peer: clientOf(c.env), cutOff: () => void outgoing.destroy() };
    const place = await answers.enter(reader);
    outgoing.once('prefinish', () => place.made(outgoing.writableLength));
    outgoing.once('close', () => place.leave());
    if (!outgoing.destroyed) return next();
    place.leave();
    return c.body(null);
  };
}
