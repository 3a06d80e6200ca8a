import { evmGenesisFile } from '@switchyard/evm/client';
import { exactJsonText } from '@switchyard/service';
import { computeDigest } from '../kubernetes/digest.ts';
import type { Manifest } from '../manifest/fields.ts';
import { findMembers } from '../manifest/genesis.ts';
import { nodeIn } from './parts.ts';

/** The first block and the rules of the chain, as the node and stock clients read them. */
export function genesisText(manifest: Manifest): string {
  return manifest.kind === 'evm' ? genesisWith(manifest, manifest) : definedText(manifest);
}

/** Name of the file with it. */
export const genesisName = (manifest: Manifest): string => `${nodeIn(manifest)}_genesis.json`;

function genesisWith(manifest: Manifest, times: Pick<Manifest, 'pragueTime' | 'osakaTime' | 'amsterdamTime'>): string {
  const { pragueTime, osakaTime, amsterdamTime } = times;
  const { bridgeAddress: address, bridgeAsset: asset, bridgePrecision: precision, bridgeMinimum: minimum } = manifest;
  return evmGenesisFile({
    rollupName: manifest.chainId,
    sequencerChainId: manifest.sequencerChainId ?? '',
    startHeight: Number(manifest.sequencerHeight),
    chainId: manifest.networkId,
    addressPrefix: manifest.sequencerAddressPrefix,
    bridges: address === undefined ? [] : [{ address, asset, precision, minimum }],
    withdrawer: manifest.bridgeWithdrawer,
    forks: {
      ...(pragueTime !== undefined && { prague: Number(pragueTime) }),
      ...(osakaTime !== undefined && { osaka: Number(osakaTime) }),
      ...(amsterdamTime !== undefined && { amsterdam: Number(amsterdamTime) }),
    },
    balances: new Map(manifest.genesisAccounts.map(({ address: owner, balance }) => [owner, balance])),
  });
}

/** Digest of the genesis. Another one has another, unless it only plans forks for later, which the nodes check. */
export function genesisDigest(manifest: Manifest): string {
  if (manifest.kind !== 'evm') return computeDigest(definedText(manifest));
  const fromTheFirst = (time: bigint | undefined) => (time === 0n ? time : undefined);
  const { pragueTime, osakaTime, amsterdamTime } = manifest;
  return computeDigest(
    genesisWith(manifest, {
      pragueTime: fromTheFirst(pragueTime),
      osakaTime: fromTheFirst(osakaTime),
      amsterdamTime: fromTheFirst(amsterdamTime),
    }),
  );
}

function definedText(manifest: Manifest): string {
  const { chainId, sequencerChainId = '', sequencerHeight, genesis } = manifest;
  const stated = {
    rollup_name: chainId,
    sequencer_chain_id: sequencerChainId,
    // Block 1 is made from the block after it.
    sequencer_genesis_block_height: Number(sequencerHeight) - 1,
  };
  return `${exactJsonText({ ...stated, ...findMembers(genesis) })}\n`;
}
