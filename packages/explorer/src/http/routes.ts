import { boundAnswers, type Clock, clientOf, HttpError, productVersion, type RateLimit } from '@switchyard/service';
import { type AnyRoute, serveApi } from '@switchyard/service/api';
import type { NetworkPages } from '@switchyard/service/settings';
import type { Hono } from 'hono';
import * as contract from '../contract/index.ts';
import { etherscanApi } from '../evm/etherscan/api.ts';
import { ETHERSCAN_PATHS } from '../evm/etherscan/dispatch.ts';
import { evmRoutes } from '../evm/http/routes.ts';
import { accountRoute, bridgeRoutes, validatorRoute } from './accounts.ts';
import { blockRoutes, transactionRoutes } from './blocks.ts';
import { chartRoute } from './charts.ts';
import { contentRoute } from './content.ts';
import type { ApiContext } from './context.ts';
import { depositRoutes } from './deposits.ts';
import { eventRoute } from './events.ts';
import { evidenceRoute, proofRoute } from './proof.ts';
import { rollupBlockRoutes, rollupTransactionRoutes } from './rollup-blocks.ts';
import { passedRoute, rollupRoutes } from './rollups.ts';
import { searchRoute } from './search.ts';
import { signedBlocksRoute } from './signed-blocks.ts';
import { statusRoute } from './status.ts';
import { suggestRoute } from './suggest.ts';
import { traceRoute } from './trace.ts';
import { LINK_PATHS, walletLinks } from './wallet-links.ts';
import { withdrawalRoutes } from './withdrawals.ts';

/** Routes whose answers may be megabytes long, or are made of such answers of a node. */
const LARGE = [
  ...[
    'proof/*',
    'evidence/*',
    'signed-blocks',
    'transactions/:hash/content',
    'views/*',
    'evm/contracts/:address',
    'evm/transactions/:hash/*',
  ].map((each) => `/v1/rollups/:rollup/${each}`),
  '/v1/rollups/:rollup/evm/addresses/:address/logs',
  ...ETHERSCAN_PATHS,
];

/** The API of the explorer. It changes nothing but records of contracts, so every page may use it. */
export function explorerRoutes(
  app: Hono,
  context: ApiContext,
  { pages, ...limit }: { rate: RateLimit; clock: Clock; pages?: NetworkPages | undefined },
): void {
  for (const path of ['/v1/*', ...LINK_PATHS]) {
    app.use(path, async (c, next) => {
      if (!limit.rate.take(clientOf(c.env), 1, limit.clock.now())) {
        throw new HttpError(429, 'limit-reached', 'too many requests from this address; slow down and try again');
      }
      await next();
    });
  }
  const large = boundAnswers(limit.clock);
  for (const path of LARGE) app.use(path, large);
  const description = 'The HTTP API of the explorer. Errors are problem documents (RFC 9457).';
  serveApi(app, { title: 'Explorer', version: productVersion(), description }, explorerTable(context), {
    log: context.log,
    pages,
    contracts: [{ specifier: '@switchyard/explorer/contract', exports: contract }],
  });
  etherscanApi(app, context, limit);
  walletLinks(app, context);
}

/** Every route that the document describes. */
export function explorerTable(context: ApiContext): readonly AnyRoute[] {
  return [
    statusRoute(context),
    eventRoute(context),
    searchRoute(context),
    suggestRoute(context),
    traceRoute(context),
    ...blockRoutes(context),
    ...transactionRoutes(context),
    accountRoute(context),
    ...bridgeRoutes(context),
    validatorRoute(context),
    chartRoute(context),
    ...rollupRoutes(context),
    ...rollupBlockRoutes(context),
    ...rollupTransactionRoutes(context),
    contentRoute(context),
    ...depositRoutes(context),
    ...withdrawalRoutes(context),
    proofRoute(context),
    evidenceRoute(context),
    signedBlocksRoute(context),
    passedRoute(context),
    ...evmRoutes(context),
  ];
}
