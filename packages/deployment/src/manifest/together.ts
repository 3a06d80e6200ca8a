import { addressPrefix } from '@switchyard/protocol/values';
import { type Problem, unexpected } from '@switchyard/service/input';
import { HOSTS, hostOf } from '../names.ts';
import { type Manifest, manifestFields } from './fields.ts';
import { PUBLIC_CHAINS } from './public-chains.ts';

/** Of a DNS name. */
const MAX_HOST = 253;

/** What is wrong though each value alone is right. */
export function problemsTogether(manifest: Manifest): Problem[] {
  const { name, ingressHostname, bridgeAddress, sequencerAddressPrefix } = manifest;
  const problems: Problem[] = [];
  const longest = Math.max(...HOSTS.map((host) => hostOf(host, name, ingressHostname).length));
  if (longest > MAX_HOST) {
    const most = ingressHostname.length - (longest - MAX_HOST);
    problems.push(
      unexpected(
        manifestFields.ingressHostname.path,
        `at most ${most} characters, so that the longest host name has ${MAX_HOST}`,
        String(ingressHostname.length),
      ),
    );
  }
  if (bridgeAddress !== undefined && addressPrefix(bridgeAddress) !== sequencerAddressPrefix) {
    problems.push(
      unexpected(
        manifestFields.bridgeAddress.path,
        `an address with the prefix ${sequencerAddressPrefix} of ${manifestFields.sequencerAddressPrefix.path}`,
        JSON.stringify(bridgeAddress),
      ),
    );
  }
  return problems;
}

/** The network that has this chain id in public, if one is known. */
export function publicChain(networkId: bigint): string | undefined {
  return PUBLIC_CHAINS.get(networkId);
}
