import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Input } from '@switchyard/service/input';
import { CANCUN_BLOBS, PRAGUE_BLOBS } from '../../rules/blob-schedule.ts';
import { forkNamed } from './fork-names.ts';

/** Names of the forks in section `config` of a genesis, in their order; undefined for forks that come with the one before. */
const BLOCKS: readonly (readonly [Fork, ...string[]])[] = [
  ['homestead', 'homesteadBlock'],
  ['tangerineWhistle', 'eip150Block'],
  ['spuriousDragon', 'eip155Block', 'eip158Block'],
  ['byzantium', 'byzantiumBlock'],
  ['constantinople', 'constantinopleBlock'],
  ['petersburg', 'petersburgBlock'],
  ['istanbul', 'istanbulBlock', 'muirGlacierBlock'],
  ['berlin', 'berlinBlock'],
  ['london', 'londonBlock', 'arrowGlacierBlock', 'grayGlacierBlock'],
  ['paris', 'mergeNetsplitBlock'],
];
const TIMES: readonly (readonly [Fork, string])[] = [
  ['shanghai', 'shanghaiTime'],
  ['cancun', 'cancunTime'],
  ['prague', 'pragueTime'],
  ['osaka', 'osakaTime'],
  ['amsterdam', 'amsterdamTime'],
];
/** For tests without a schedule of their own. */
const BLOBS = { cancun: CANCUN_BLOBS, prague: PRAGUE_BLOBS, osaka: PRAGUE_BLOBS, amsterdam: PRAGUE_BLOBS };

/**
 * Section `config` of a genesis for a network of the tests: a fork, or `ShanghaiToCancunAtTime15k` and the like.
 * Undefined for a network that is not known.
 */
export function gethConfig(network: string, config: Input): Record<string, unknown> | undefined {
  const [, before = network, after, unit, place] = /^(\w+?)To(\w+?)At(Time)?(\w+)$/.exec(network) ?? [];
  const first = rulesNamed(before);
  const second = after === undefined ? first : rulesNamed(after);
  if (
    first === undefined ||
    second === undefined ||
    (after !== undefined && includes(second, 'paris') && unit === undefined)
  )
    return undefined;
  const at = place === undefined ? 0 : Number(place.replace('k', '000'));
  const findPlace = (fork: Fork): number | undefined =>
    includes(first, fork) ? 0 : includes(second, fork) ? at : undefined;
  const isMerged = includes(second, 'paris');
  return {
    chainId: Number(findChainId(config) ?? 1),
    ...Object.fromEntries(BLOCKS.flatMap(([fork, ...names]) => names.map((name) => [name, findPlace(fork)]))),
    ...Object.fromEntries(TIMES.map(([fork, name]) => [name, findPlace(fork)])),
    ...blobTimes(blobForkIn(before), blobForkIn(after ?? before), at),
    ...(isMerged ? { terminalTotalDifficulty: 0, terminalTotalDifficultyPassed: true } : {}),
    blobSchedule: { ...BLOBS, ...getSchedules(config) },
    depositContractAddress: '0x00000000219ab540356cbb839cbe05303d7705fa',
  };
}

/** EIP-7892: the number of a fork that changes no more than the blobs of Osaka; 0 for others. EthereumJS, which decodes the blocks, knows two. */
function blobForkIn(name: string): number {
  return Number(/^BPO([12])$/.exec(name)?.[1] ?? 0);
}

function rulesNamed(name: string): Fork | undefined {
  return blobForkIn(name) > 0 ? 'osaka' : forkNamed(name);
}

function blobTimes(first: number, last: number, at: number): Record<string, number> {
  const numbers = Array.from({ length: last }, (_, index) => index + 1);
  return Object.fromEntries(numbers.map((number) => [`bpo${number}Time`, number <= first ? 0 : at]));
}

function findChainId(config: Input): bigint | undefined {
  return config.isObject ? config.at('chainid').optional((input) => BigInt(input.text())) : undefined;
}

/** A test gives them under the names of its forks, in hex. */
function getSchedules(config: Input): Record<string, unknown> {
  const schedules = config.isObject ? config.at('blobSchedule') : config;
  if (!schedules.isObject) return {};
  return Object.fromEntries(
    schedules
      .members()
      .map(([name, schedule]) => [
        (forkNamed(name) ?? name).toLowerCase(),
        Object.fromEntries(schedule.members().map(([member, value]) => [member, Number(value.text())])),
      ]),
  );
}
