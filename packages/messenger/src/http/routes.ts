import { join } from 'node:path';
import type { RollupNode } from '@switchyard/rollup';
import { pageRoutes } from '@switchyard/service';
import type { Hono } from 'hono';
import type { MessengerEvent } from '../action.ts';
import { accountRoutes } from './accounts.ts';
import { eventRoute } from './events.ts';
import { textRoutes } from './texts.ts';
import { wireRoutes } from './wire.ts';

/** Where Vite puts the chat page. A node without it has an API and no page. */
const PAGE = join(import.meta.dirname, '..', '..', '..', 'web', 'dist', 'chat');

/** Everything the messenger answers beside what every rollup does. */
export function messengerRoutes(app: Hono, node: RollupNode<MessengerEvent>): void {
  wireRoutes(app, node);
  textRoutes(app, node);
  accountRoutes(app, node);
  eventRoute(app, node);
  pageRoutes(app, PAGE);
}
