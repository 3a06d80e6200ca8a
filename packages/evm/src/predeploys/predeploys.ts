import { ENTRY_POINTS } from './entry-points.ts';
import { MULTICALL3 } from './multicall3.ts';
import { PERMIT2 } from './permit2.ts';
import type { Predeploy } from './predeploy.ts';

/** Contracts that libraries expect at the same address of every chain, alongside the CREATE2 deployer of every genesis. */
export const PREDEPLOYS: readonly Predeploy[] = [...MULTICALL3, ...PERMIT2, ...ENTRY_POINTS];
