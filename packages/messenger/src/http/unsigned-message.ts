import { HttpError } from '@switchyard/service';
import type { Hono } from 'hono';

/** The original messenger signs for whoever posts here. This one holds no keys. */
export function unsignedMessageRoute(app: Hono): void {
  app.post('/message', () => {
    throw new HttpError(
      410,
      'unsigned',
      'this node holds no keys: sign the message with your own and POST it to /submit_transaction',
    );
  });
}
