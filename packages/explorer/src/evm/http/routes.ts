import type { AnyRoute } from '@switchyard/service/api';
import { evmAddressRoutes } from './addresses.ts';
import { evmBlockRoutes } from './blocks.ts';
import { evmChartRoute } from './charts.ts';
import type { EvmContext } from './context.ts';
import { evmContractRoutes } from './contracts.ts';
import { evmTokenRoutes } from './tokens.ts';
import { evmTransactionRoutes } from './transactions.ts';
import { evmWithdrawalRoutes } from './withdrawals.ts';

/** The API of EVM rollups, below `/v1/rollups/{rollup}/evm/`. */
export function evmRoutes(context: EvmContext): readonly AnyRoute[] {
  return [
    ...evmBlockRoutes(context),
    ...evmTransactionRoutes(context),
    ...evmAddressRoutes(context),
    ...evmTokenRoutes(context),
    ...evmContractRoutes(context),
    ...evmWithdrawalRoutes(context),
    evmChartRoute(context),
  ];
}
