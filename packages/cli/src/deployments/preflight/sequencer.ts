import { createSigner, formatAddress, fromHex, parseDenom, rollupIdFromName } from '@switchyard/protocol';
import { plain } from '@switchyard/protocol/hidden-characters';
import { isTransportFailure } from '@switchyard/service';
import type { Keys, Manifest } from '@switchyard/stack';
import type { Connections, SequencerPort } from '../../connect.ts';
import { bridgeFindings } from './bridge.ts';
import { type Finding, noted, refused, risky } from './finding.ts';
import { networkIdFindings } from './network-id.ts';

/** Traffic for which the cost of a day is stated. */
const BUNDLE_BYTES = 1_000;
const BUNDLES_A_DAY = 86_400n;
const MOST_NAMED = 10;

/**
 * The sequencer is the right one, has the first block, and the account that pays has funds.
 *
 * @param isLocal The rollup runs on this machine; else a sequencer that pods reach may be out of reach here.
 */
export async function sequencerFindings(connect: Connections, manifest: Manifest, keys: Keys, isLocal = false) {
  const { sequencerRpc, sequencerAddressPrefix } = manifest;
  const { hostname } = new URL(sequencerRpc);
  if (!isLocal && /\.(svc|cluster\.local)$/.test(hostname))
    return [noted(`the sequencer at ${sequencerRpc} was not checked: its name is one of the cluster`)];
  const address = formatAddress(createSigner(fromHex(keys.sequencer)).account, sequencerAddressPrefix);
  try {
    return await ask(await connect.sequencer(sequencerRpc), manifest, keys, address);
  } catch (error) {
    if (isLocal || !isTransportFailure(error)) throw error;
    return [noted(`the sequencer at ${sequencerRpc} was not checked: it cannot be reached from here`)];
  }
}

/** Facts of a sequencer that do not fit a manifest. */
export async function chainFindings(
  sequencer: SequencerPort,
  manifest: Manifest,
  keys: Pick<Keys, 'withdrawers'> = {},
): Promise<Finding[]> {
  const { sequencerRpc, sequencerHeight, feeAsset } = manifest;
  const [chainId, height, accepted] = await Promise.all([
    sequencer.chainId(),
    sequencer.height(),
    sequencer.allowedFeeAssets(),
  ]);
  const { sequencerChainId = chainId } = manifest;
  if (chainId !== sequencerChainId)
    return [
      refused(`config.sequencer.chainId: expected ${chainId}, which ${sequencerRpc} reports, got ${sequencerChainId}`),
    ];
  const findings = [
    ...(await networkIdFindings(sequencer, manifest)),
    ...(await bridgeFindings(sequencer, manifest, keys)),
  ];
  if (sequencerHeight > height)
    findings.push(
      refused(
        `config.sequencer.initialBlockHeight: expected at most ${height}, the newest block, got ${sequencerHeight}`,
      ),
    );
  const [usual] = accepted;
  // One asset has two names: its trace, and the hash of that.
  if (usual !== undefined && !accepted.some((each) => parseDenom(each).id === parseDenom(feeAsset).id))
    findings.push(
      refused(
        `config.composer.feeAsset: expected one of ${accepted.slice(0, MOST_NAMED).map(plain).join(', ')}, which ${sequencerRpc} takes for fees, got ${feeAsset}: change it with \`switchyard rollup config edit config.composer.feeAsset ${plain(usual)}\``,
      ),
    );
  return findings;
}

async function ask(sequencer: SequencerPort, manifest: Manifest, keys: Keys, address: string): Promise<Finding[]> {
  const { sequencerChainId = '', chainId, feeAsset } = manifest;
  const findings = await chainFindings(sequencer, manifest, keys);
  if (findings.some(({ text }) => /^config\.(sequencer\.chainId|composer\.feeAsset): /.test(text))) return findings;
  const submission = {
    kind: 'rollupDataSubmission',
    ...{ rollup: rollupIdFromName(chainId), data: new Uint8Array(BUNDLE_BYTES), feeAsset: parseDenom(feeAsset) },
  } as const;
  const [balances, fees] = await Promise.all([
    sequencer.balances(address),
    sequencer.fees({ chainId: sequencerChainId, actions: [submission] }),
  ]);
  const amountIn = (amounts: typeof balances) => amounts.find(({ asset }) => asset === feeAsset)?.amount ?? 0n;
  const [held, fee] = [amountIn(balances), amountIn(fees)];
  const cost = `a bundle of ${BUNDLE_BYTES} bytes costs ${fee}, one each second of a day ${fee * BUNDLES_A_DAY}`;
  findings.push(
    held === 0n || held < fee
      ? risky(`the account on the sequencer, ${address}, has ${held} ${feeAsset}, and ${cost}: fund it first`)
      : noted(`the account on the sequencer, ${address}, has ${held} ${feeAsset}; ${cost}`),
  );
  return findings;
}
