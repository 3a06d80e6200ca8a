import type { Clock, RateLimit } from '@switchyard/service';
import type { Hono } from 'hono';
import type { EvmContext } from '../http/context.ts';
import { accountModule } from './account-module.ts';
import { chainModules } from './chain-modules.ts';
import { contractModule } from './contract-module.ts';
import { etherscanRoutes } from './dispatch.ts';
import { logsModule } from './logs-module.ts';
import { proxyModule } from './proxy-module.ts';

/** The API of Etherscan over the explorer's index of EVM rollups. */
export function etherscanApi(app: Hono, context: EvmContext, limit: { rate: RateLimit; clock: Clock }): void {
  const { contracts, signal, log } = context;
  const modules = {
    account: accountModule(context),
    contract: contractModule(contracts),
    logs: logsModule(context),
    proxy: proxyModule(signal),
    ...chainModules(context),
  };
  etherscanRoutes(app, context, { ...limit, modules, log });
}
