import {
  type Action,
  createSigner,
  formatAddress,
  fromHex,
  parseAnyAddress,
  parseDenom,
  rollupIdBase64Url,
  rollupIdFromName,
} from '@switchyard/protocol';
import { isLoopbackHost } from '@switchyard/service/input';
import { type Bridge, getBridges, type Keys, type Manifest, manifestFields } from '@switchyard/stack';
import type { SequencerPort } from '../../connect.ts';
import { type Finding, noted, refused, risky } from './finding.ts';

/** The bridge accounts of a manifest as the sequencer has them: deposits to one of another rollup are lost. */
export async function bridgeFindings(
  sequencer: SequencerPort,
  manifest: Manifest,
  { withdrawers = [] }: Pick<Keys, 'withdrawers'> = {},
): Promise<Finding[]> {
  const all = getBridges(manifest);
  const paying = all.filter(({ asset }) => asset !== undefined);
  const found = all.map((bridge) => getFindings(sequencer, manifest, bridge, withdrawers[paying.indexOf(bridge)]));
  return (await Promise.all(found)).flat();
}

async function getFindings(sequencer: SequencerPort, manifest: Manifest, bridge: Bridge, key: string | undefined) {
  const { chainId, sequencerAddressPrefix: prefix, sequencerRpc } = manifest;
  const { path, address: bridgeAddress, asset: bridgeAsset } = bridge;
  const found = await sequencer.bridgeAccount(bridgeAddress);
  if (found === undefined)
    return [
      risky(
        `${path}: ${bridgeAddress} is no bridge account: make it one with \`switchyard sequencer init-bridge-account --rollup-name ${chainId} --asset ${bridgeAsset ?? 'ASSET'}\``,
      ),
    ];
  const findings: Finding[] = [];
  const expected = rollupIdFromName(chainId);
  if (found.rollup !== expected)
    findings.push(
      refused(
        `${path}: expected an account of ${chainId}, whose rollup id is ${rollupIdBase64Url(expected)}, got ${bridgeAddress} of the id ${rollupIdBase64Url(found.rollup)}: deposits to it would be lost; an account keeps its rollup, so name another one`,
      ),
    );
  if (bridgeAsset !== undefined && parseDenom(found.asset).id !== parseDenom(bridgeAsset).id)
    findings.push(
      refused(`${assetPath(bridge)}: expected ${found.asset}, the asset of the account, got ${bridgeAsset}`),
    );
  if (!manifest.withdrawerEnabled || bridgeAsset === undefined) return findings;
  if (key !== undefined) {
    const address = formatAddress(createSigner(fromHex(key)).account, prefix);
    const flag = '--withdrawer-private-key-file';
    if (found.withdrawer !== address)
      findings.push(
        refused(
          `${flag}: expected the key of ${found.withdrawer}, the withdrawer of ${bridgeAddress}, got that of ${address}: change it with \`switchyard sequencer bridge-sudo-change\``,
        ),
      );
    if (found.sudo === address && !isLoopbackHost(new URL(sequencerRpc).hostname))
      findings.push(
        risky(
          `${flag}: the key of ${address} can also change ${bridgeAddress}, which is for a key that is kept elsewhere`,
        ),
      );
  }
  return bridge.feeAsset === undefined ? [...findings, ...(await feeFindings(sequencer, manifest, bridge))] : findings;
}

const assetPath = ({ path }: Bridge) =>
  path === manifestFields.genesis.path ? `${path}: asset` : manifestFields.bridgeAsset.path;

/** Coins of a rollup that its bridge account does not hold: withdrawn, they are paid out of the deposits of others. */
export function coinFindings(manifest: Manifest): Finding[] {
  const { kind, withdrawerEnabled, faucetEnabled, faucetAsset, genesisAccounts } = manifest;
  if (!withdrawerEnabled) return [];
  const isPaidOut = kind === 'evm' || getBridges(manifest).some(({ asset }) => asset === faucetAsset);
  const { faucetEnabled: faucet, genesisAccounts: accounts, withdrawerEnabled: withdrawer } = manifestFields;
  const why = `next to ${withdrawer.path}: coins that no deposit brought are paid out of the deposits of others`;
  const sum = genesisAccounts.reduce((total, { balance }) => total + balance, 0n);
  return [
    ...(sum > 0n ? [risky(`${accounts.path}: expected balances of 0, got ${sum} wei ${why}`)] : []),
    ...(faucetEnabled && isPaidOut ? [risky(`${faucet.path}: expected false, got true ${why}`)] : []),
  ];
}

/** A withdrawal below the cost of its payment would be paid at the expense of others, or not at all. */
async function feeFindings(sequencer: SequencerPort, { chainId }: Manifest, bridge: Bridge): Promise<Finding[]> {
  const { path, asset = '', minimum = 1n } = bridge;
  const address = parseAnyAddress(bridge.address);
  const feeAsset = parseDenom(asset);
  const unlock: Action = {
    kind: 'bridgeUnlock',
    ...{ to: address, amount: 1n, feeAsset, memo: '', bridge: address },
    ...{ rollupBlockNumber: 1n, withdrawalEvent: `0x${'00'.repeat(32)}.0x${'00'.repeat(32)}` },
  };
  const fees = await sequencer.fees({ chainId, actions: [unlock] });
  const fee = fees.find((each) => parseDenom(each.asset).id === feeAsset.id)?.amount ?? 0n;
  if (minimum > fee) return [];
  const at = path === manifestFields.genesis.path ? `${path}: minimum` : manifestFields.bridgeMinimum.path;
  return [noted(`${at}: expected more than ${fee}, the fee of a payment on the sequencer, got ${minimum}`)];
}
