import { join } from 'node:path';
import type { RollupNode } from '@switchyard/rollup/node';
import { pageRoutes } from '@switchyard/service';
import type { AnyRoute } from '@switchyard/service/api';
import type { NetworkPages } from '@switchyard/service/settings';
import type { Hono } from 'hono';
import type { MessengerGenesis } from '../genesis.ts';
import { accountRoute } from './accounts.ts';
import { balanceRoutes } from './balance.ts';
import { historyRoute } from './history.ts';
import { messageStream } from './message-stream.ts';
import { messageRoutes } from './messages.ts';
import { recentRoute } from './recent.ts';
import { textFromIdRoute, textRoutes } from './texts.ts';
import { unsignedMessageRoute } from './unsigned-message.ts';

/** Directory of the built chat page. A node without it has an API and no page. */
const PAGE = join(import.meta.dirname, '..', '..', '..', 'web', 'dist', 'chat');

type Routes = (app: Hono, node: RollupNode) => void;

const LEGACY: readonly Routes[] = [balanceRoutes, recentRoute, textFromIdRoute];

/** The API of the messenger, besides the routes of every rollup. */
export const messengerApi = (node: RollupNode): readonly AnyRoute[] => [
  ...messageRoutes(node),
  ...textRoutes(node),
  accountRoute(node),
  historyRoute(node),
  messageStream(node),
];

interface MessengerRouteOptions {
  readonly genesis: MessengerGenesis;
  readonly isDevelopment: boolean;
  /** Services that the chat page asks. */
  readonly links: { readonly faucet?: string; readonly explorer?: string };
  readonly pages: NetworkPages | undefined;
}

/** The routes of the original messenger, and the chat page. */
export function messengerRoutes(
  app: Hono,
  node: RollupNode,
  { genesis, isDevelopment, links, pages }: MessengerRouteOptions,
): void {
  for (const routes of LEGACY) routes(app, node);
  unsignedMessageRoute(app, node, genesis, isDevelopment);
  const connectTo = [...new Set(Object.values(links).map((url) => new URL(url).origin))];
  pageRoutes(app, PAGE, { connectTo, pages });
}
