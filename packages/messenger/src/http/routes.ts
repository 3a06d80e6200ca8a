import { join } from 'node:path';
import type { RollupNode } from '@switchyard/rollup';
import { pageRoutes } from '@switchyard/service';
import type { Hono } from 'hono';
import type { MessengerEvent } from '../actions/handler.ts';
import { accountRoutes } from './accounts.ts';
import { balanceRoutes } from './balance.ts';
import { eventRoute } from './events.ts';
import { recentRoute } from './recent.ts';
import { textRoutes } from './texts.ts';
import { unsignedMessageRoute } from './unsigned-message.ts';

/** Where Vite puts the chat page. A node without it has an API and no page. */
const PAGE = join(import.meta.dirname, '..', '..', '..', 'web', 'dist', 'chat');

type Routes = (app: Hono, node: RollupNode<MessengerEvent>) => void;

const QUERIES: readonly Routes[] = [balanceRoutes, recentRoute, textRoutes, accountRoutes, eventRoute];

/** Everything the messenger serves besides what every rollup does. */
export function messengerRoutes(app: Hono, node: RollupNode<MessengerEvent>): void {
  for (const routes of QUERIES) routes(app, node);
  unsignedMessageRoute(app);
  pageRoutes(app, PAGE);
}
