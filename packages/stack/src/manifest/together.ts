import { addressPrefix } from '@switchyard/protocol/values';
import { isLoopbackHost, type Problem, unexpected } from '@switchyard/service/input';
import { HOSTS, longestWith, toHost } from '../names.ts';
import { WITHDRAWERS } from '../roles.ts';
import { payingBridges } from './bridges.ts';
import { type Manifest, manifestFields } from './fields.ts';
import { PUBLIC_CHAINS } from './public-chains.ts';

/** Longest DNS name, in bytes. */
const MAX_HOST = 253;

/** Problems between values that are each right alone. */
export function problemsTogether(manifest: Manifest): Problem[] {
  const { name, ingressHostname, bridgeAddress, sequencerAddressPrefix } = manifest;
  const problems: Problem[] = [];
  const longest = Math.max(...HOSTS.map((host) => toHost(host, name, ingressHostname).length));
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
  return [
    ...[...problems, ...problemsOfWithdrawals(manifest)],
    ...[...problemsOfDataAvailability(manifest), ...problemsOfFirmBlocks(manifest)],
  ];
}

/** Withdrawals of an EVM rollup are read from a contract of its first block; each bridge account has a payer of its own. */
function problemsOfWithdrawals(manifest: Manifest): Problem[] {
  const { kind, withdrawerEnabled, bridgeAddress, bridgeWithdrawer, name } = manifest;
  if (!withdrawerEnabled) return [];
  const fields = manifestFields;
  const since = `since ${fields.withdrawerEnabled.path} is true`;
  const paying = payingBridges(manifest);
  const last = WITHDRAWERS[paying.length - 1];
  const longest = longestWith(last ?? 'withdrawer');
  return [
    ...(kind === 'evm' && bridgeAddress === undefined
      ? [unexpected(fields.bridgeAddress.path, `${fields.bridgeAddress.rule.expects}, ${since}`, 'nothing')]
      : []),
    ...(kind === 'evm' && !bridgeWithdrawer
      ? [unexpected(fields.bridgeWithdrawer.path, `true, ${since}`, 'false')]
      : []),
    ...(kind === 'defined' && last === undefined
      ? [
          unexpected(
            fields.genesis.path,
            `withdrawals of 1 to ${WITHDRAWERS.length} bridge accounts, ${since}`,
            `${paying.length}`,
          ),
        ]
      : []),
    ...(name.length > longest
      ? [unexpected(fields.name.path, `at most ${longest} characters, ${since}`, String(name.length))]
      : []),
  ];
}

/** Networks whose first block and bootstrap peers are built into celestia-node. */
export const CELESTIA_NETWORKS: readonly string[] = ['celestia', 'mocha-5', 'arabica-11'];

function problemsOfDataAvailability(manifest: Manifest): Problem[] {
  const fields = manifestFields;
  const { daKind, daUrl, daHasToken } = manifest;
  if (daKind === 'light') {
    const url =
      daUrl === undefined ? [] : [unexpected(fields.daKind.path, `external, as ${fields.daUrl.path} is`, daKind)];
    return [...url, ...problemsOfLightNode(manifest)];
  }
  const unused = daKind === 'external' ? LIGHT_NODE_ONLY : [...LIGHT_NODE_ONLY, ...NOT_OF_LOCAL];
  const problems = unused.flatMap((key) =>
    manifest[key] === undefined
      ? []
      : [unexpected(fields[key].path, `nothing, since ${fields.daKind.path} is ${daKind}`, String(manifest[key]))],
  );
  if (daKind === 'local')
    return daHasToken
      ? [...problems, unexpected(fields.daHasToken.path, 'false, since the local layer asks for none', 'true')]
      : problems;
  for (const [key, expected] of [
    ['daUrl', fields.daUrl.rule.expects],
    ['daNetwork', 'the chain id of the network of that node'],
  ] as const)
    if (manifest[key] === undefined) problems.push(unexpected(fields[key].path, expected, 'nothing'));
  return problems;
}

/** Fields that only state how a light node of the deployment finds its network. */
const LIGHT_NODE_ONLY = ['daGenesisHash', 'daBridges', 'daSyncFromHash', 'daSyncFromHeight'] as const;
/** The local layer begins with the deployment, and has one name. */
const NOT_OF_LOCAL = ['daUrl', 'daNetwork', 'daTrustedHeight', 'daTrustedHash', 'daAuthors', 'daRelayer'] as const;

function problemsOfLightNode(manifest: Manifest): Problem[] {
  const { daNetwork, daGenesisHash, daBridges, daSyncFromHash, daSyncFromHeight } = manifest;
  const { daNetwork: network, daGenesisHash: hash, daBridges: bridges, daSyncFromHeight: height } = manifestFields;
  if (daSyncFromHash !== undefined && daSyncFromHeight !== undefined)
    return [unexpected(height.path, `nothing next to ${manifestFields.daSyncFromHash.path}`, String(daSyncFromHeight))];
  if (daNetwork === undefined) {
    const stated = [hash, bridges].filter((_, index) => [daGenesisHash, daBridges][index] !== undefined);
    return stated.map(({ path }) => unexpected(network.path, `the network that ${path} belongs to`, 'nothing'));
  }
  const isKnown = CELESTIA_NETWORKS.includes(daNetwork);
  return [
    { field: hash, value: daGenesisHash },
    { field: bridges, value: daBridges },
  ].flatMap(({ field: { path, rule }, value }) => {
    if (isKnown === (value === undefined)) return [];
    if (isKnown) return [unexpected(path, `nothing, since celestia-node knows ${daNetwork}`, 'a value')];
    const known = CELESTIA_NETWORKS.join(', ');
    return [unexpected(path, `${rule.expects}, since ${daNetwork} is none of ${known}`, 'nothing')];
  });
}

/** Firm blocks are read through the light node, and proven from a block that a person has chosen. */
function problemsOfFirmBlocks(manifest: Manifest): Problem[] {
  const { executionCommitLevel, daKind, daUrl = '', daNetwork, daTrustedHeight, daTrustedHash } = manifest;
  const {
    executionCommitLevel: level,
    daNetwork: network,
    daTrustedHeight: height,
    daTrustedHash: hash,
  } = manifestFields;
  if (daTrustedHeight !== undefined && daTrustedHash === undefined)
    return [unexpected(hash.path, `${hash.rule.expects}, the hash of the block of ${height.path}`, 'nothing')];
  if (daTrustedHash !== undefined && daTrustedHeight === undefined)
    return [unexpected(height.path, `${height.rule.expects}, that of the block of ${hash.path}`, 'nothing')];
  if (executionCommitLevel !== 'SoftAndFirm' || daKind === 'local') return [];
  if (daNetwork === undefined)
    return [
      unexpected(
        level.path,
        `SoftIsFirm or SoftOnly, since ${network.path} names no network that firm blocks could be read from`,
        executionCommitLevel,
      ),
    ];
  if (daTrustedHeight !== undefined) return [];
  // A layer on this machine is believed about its first block; of a private network the light node has that.
  const isBelieved =
    daKind === 'light'
      ? !CELESTIA_NETWORKS.includes(daNetwork)
      : URL.canParse(daUrl) && isLoopbackHost(new URL(daUrl).hostname);
  if (isBelieved) return [];
  return [
    unexpected(
      height.path,
      `the height of a block of ${daNetwork} that you know to be right, with its hash in ${hash.path}: ${executionCommitLevel} proves from it on`,
      'nothing',
    ),
  ];
}

/** From the largest: the number that an id is above, and the consequence for users. */
const LARGE_IDS = [
  // EIP-2294, since signatures of old transactions have `2 * id + 36`.
  [(1n << 63n) - 37n, 'many programs cannot sign transactions without a type for it (EIP-2294)'],
  [(1n << 53n) - 1n, 'programs in JavaScript round it, and wallets refuse it'],
  [4_503_599_627_370_476n, 'MetaMask refuses it'],
] as const;

/** Warns of the consequences for users of a chain with this id; undefined for the ids that all programs take. */
export function largeIdWarning(networkId: bigint): string | undefined {
  const [bound, why] = LARGE_IDS.find(([most]) => networkId > most) ?? [];
  return bound === undefined ? undefined : `${networkId} is above ${bound}: ${why}`;
}

/** The network that has this chain id in public, if one is known. */
export function publicChain(networkId: bigint): string | undefined {
  return PUBLIC_CHAINS.get(networkId);
}
