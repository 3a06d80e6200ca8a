import { balances, type StateWriter } from '@switchyard/machine';
import { type AppState, parseAppState } from './genesis.ts';
import { digestOf } from './genesis-digest.ts';
import { assets } from './tables/assets.ts';
import { applyValidatorUpdate, ibcRelayers, ibcSudo, sudo } from './tables/authority.ts';
import { type Chain, genesisDigest, writeBlock, writeChain } from './tables/chain.ts';
import { allowFeeAssets, feeComponents } from './tables/fees.ts';
import type { Genesis } from './types.ts';

/**
 * Writes the state that a chain begins with.
 *
 * @throws {InvalidGenesis} with every mistake of the app state, before anything is written.
 */
export function writeFirstState(state: StateWriter, genesis: Genesis): Chain {
  const app = parseAppState(genesis.appState);
  const chain: Chain = {
    id: genesis.chainId,
    prefix: app.prefix,
    ibcCompatPrefix: app.ibcCompatPrefix,
    nativeAsset: app.nativeAsset?.id,
    maxSequencedBytesPerBlock: app.maxSequencedBytesPerBlock,
    maxTransactionBytes: app.maxTransactionBytes,
    appVersion: genesis.consensusParams.version.app,
  };
  writeChain(state, chain);
  writeBlock(state, genesis.initialHeight - 1n, genesis.time);
  genesisDigest.put(state, digestOf(genesis));
  writeAccounts(state, app);
  for (const [action, row] of app.fees) feeComponents.put(state, action, row);
  allowFeeAssets(state, [...new Set(app.allowedFeeAssets.map(({ id }) => id))]);
  for (const validator of genesis.validators) applyValidatorUpdate(state, validator);
  return chain;
}

function writeAccounts(state: StateWriter, app: AppState): void {
  const { nativeAsset } = app;
  if (nativeAsset !== undefined) {
    assets.put(state, nativeAsset.id, nativeAsset.text);
    for (const { account, balance } of app.accounts) balances.put(state, [account, nativeAsset.id], balance);
  }
  sudo.put(state, app.sudo);
  ibcSudo.put(state, app.ibcSudo);
  for (const relayer of app.ibcRelayers) ibcRelayers.put(state, relayer, true);
}
