import { wallClock } from '@switchyard/service';
import { getSettings, type Keys, type Manifest, type NetworkRelayer } from '@switchyard/stack';
import { relayerAccountOfKey } from '../../dev/config/relayer-key.ts';
import type { Finding as Found } from '../../dev/doctor/finding.ts';
import { type Finding, noted, refused, risky } from './finding.ts';

/**
 * The data-availability node that a manifest names answers, takes the token, is of the chain, and has the trusted block.
 *
 * @param isLocal The rollup runs on this machine; else a node that pods reach may be out of reach here.
 */
export async function layerFindings(manifest: Manifest, { daToken }: Pick<Keys, 'daToken'>, isLocal = false) {
  const { daKind, daUrl, executionCommitLevel } = manifest;
  if (daKind !== 'external' || daUrl === undefined || executionCommitLevel !== 'SoftAndFirm') return [];
  if (!isLocal && isInside(daUrl)) return [notAsked('the data-availability node', daUrl)];
  const settings = getSettings('conductor', manifest);
  const { askLayer } = await import('../../dev/doctor/ask-layer.ts');
  const found = await askLayer(({ names }) => settings[names[0]], wallClock, daToken);
  return found.map((each) => asFinding('da-node.url', each, isLocal ? risky : noted));
}

/** The nodes of Celestia that the relayer of a network posts to answer, are of the chain, and its account has funds there. */
export async function relayerFindings(relayer: NetworkRelayer | undefined): Promise<Finding[]> {
  if (relayer?.layer.kind !== 'celestia') return [];
  const { grpc, chainId } = relayer.layer;
  const urls = grpc.split(',');
  const inside = urls.filter(isInside);
  const { askConsensusNodes } = await import('../../dev/doctor/ask-consensus.ts');
  const found = await askConsensusNodes({
    ...{ urls: urls.filter((url) => !isInside(url)), chainId },
    ...{ account: relayerAccountOfKey(relayer.key), lowBalance: 1n },
  });
  const all = found.map((each) => asFinding('--celestia-grpc', each, each.isUnfunded ? risky : noted));
  return [...inside.map((url) => notAsked('the consensus node', url)), ...all];
}

const isInside = (url: string): boolean => /\.(svc|cluster\.local)$/.test(new URL(url).hostname);
const notAsked = (what: string, url: string): Finding =>
  noted(`${what} at ${url} was not checked: its name is one of the cluster`);

/** @param doubtful For findings that may be in order elsewhere, or later. */
function asFinding(key: string, { level, text, advice }: Found, doubtful: typeof risky): Finding {
  const line = `${key}: ${text}${advice === undefined ? '' : `: ${advice}`}`;
  return level === 'ok' ? noted(line) : level === 'warn' ? doubtful(line) : refused(line);
}
