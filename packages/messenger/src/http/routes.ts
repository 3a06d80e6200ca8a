import type { RollupNode } from '@switchyard/rollup';
import type { Hono } from 'hono';
import type { MessengerEvent } from '../action.ts';
import { accountRoutes } from './accounts.ts';
import { eventRoute } from './events.ts';
import { pageRoutes } from './page.ts';
import { textRoutes } from './texts.ts';
import { wireRoutes } from './wire.ts';

/** Everything the messenger answers beside what every rollup does. */
export function messengerRoutes(app: Hono, node: RollupNode<MessengerEvent>): void {
  wireRoutes(app, node);
  textRoutes(app, node);
  accountRoutes(app, node);
  eventRoute(app, node);
  pageRoutes(app);
}
