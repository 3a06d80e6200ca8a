import type { Manifest } from './fields.ts';
import { bridgesIn } from './genesis.ts';

/** A bridge account of a rollup, and its path in the manifest. */
export interface Bridge {
  readonly path: string;
  readonly address: string;
  /** Absent for an account that pays no withdrawals. */
  readonly asset?: string;
  /** Fewest of the smallest units in one withdrawal. */
  readonly minimum?: bigint;
  /** Asset in which the payer's account pays fees, if those are not taken from the withdrawn amount. */
  readonly feeAsset?: string;
}

/** Bridge accounts that pay withdrawals, each by a process of its own. */
export const payingBridges = (manifest: Manifest): readonly Bridge[] =>
  getBridges(manifest).filter(({ asset }) => asset !== undefined);

/** Bridge accounts whose deposits a rollup credits. The node checks the rest of its genesis. */
export function getBridges(manifest: Manifest): readonly Bridge[] {
  const { kind, genesis, bridgeAddress, bridgeAsset, bridgeMinimum, feeAsset } = manifest;
  if (kind === 'evm')
    return bridgeAddress === undefined
      ? []
      : [{ path: 'config.rollup.bridgeAddress', address: bridgeAddress, asset: bridgeAsset, minimum: bridgeMinimum }];
  const path = 'config.rollup.genesis';
  const { bridgeAccounts, withdrawals } = bridgesIn(genesis, path);
  return bridgeAccounts.map(({ bech32m: address }) => {
    const paid = withdrawals.find(({ bridgeAccount }) => bridgeAccount.bech32m === address);
    const fees = paid === undefined || paid.asset === feeAsset ? {} : { feeAsset };
    return { path, address, ...(paid && { asset: paid.asset, minimum: paid.minimum }), ...fees };
  });
}
