import { crc32 } from 'node:zlib';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { hexToBytes, quantity } from '@switchyard/protocol/ethereum';
import { type ForkSchedule, TIMED_FORKS, type TimedFork } from '../rules/forks.ts';
import {
  BUILDER_DEPOSITS_ADDRESS,
  BUILDER_EXITS_ADDRESS,
  CONSOLIDATIONS_ADDRESS,
  HISTORY_ADDRESS,
  WITHDRAWALS_ADDRESS,
} from '../rules/system-contracts.ts';

interface Place {
  readonly chainId: bigint;
  readonly genesisHash: Hash;
  /** Seconds. */
  readonly genesisTime: bigint;
  /** Timestamp of the head, in seconds. */
  readonly time: bigint;
}

/** Answer of `eth_config` (EIP-7910): the rules now, after the next fork, and after the last planned one. */
export function forkConfig({ blocks, times, depositContract }: ForkSchedule, place: Place): Record<string, unknown> {
  const describe = (position: number): unknown => {
    const fork = times[position];
    if (fork === undefined) return null;
    const { name, time } = fork;
    const until = times.slice(0, position + 1);
    return {
      activationTime: time <= place.genesisTime ? 0 : Number(time),
      blobSchedule: until.findLast(({ blobs }) => blobs !== undefined)?.blobs ?? null,
      chainId: quantity(place.chainId),
      forkId: forkId({ blocks, times: until }, place),
      precompiles: getPrecompiles(name),
      systemContracts: getSystemContracts(name, depositContract),
    };
  };
  const current = times.findLastIndex(({ time }) => time <= place.time);
  const next = describe(current + 1);
  return { current: describe(current), next, last: next === null ? null : describe(times.length - 1) };
}

/** EIP-2124 and EIP-6122: checksum over the genesis hash and each place after it at which rules changed. */
function forkId({ blocks, times }: ForkSchedule, { genesisHash, genesisTime }: Place): string {
  const changes = [
    ...sorted(blocks.filter((block) => block > 0n)),
    ...sorted(times.map(({ time }) => time).filter((time) => time > genesisTime)),
  ];
  const word = Buffer.alloc(8);
  let checksum = crc32(hexToBytes(genesisHash));
  for (const change of changes) {
    word.writeBigUInt64BE(change);
    checksum = crc32(word, checksum);
  }
  return `0x${checksum.toString(16).padStart(8, '0')}`;
}

function sorted(places: readonly bigint[]): readonly bigint[] {
  return [...new Set(places)].sort((a, b) => (a < b ? -1 : 1));
}

/** Names are those of EIP-7910. */
const PRECOMPILES: readonly { readonly from: TimedFork; readonly first: number; readonly names: readonly string[] }[] =
  [
    {
      from: 'shanghai',
      first: 1,
      names: ['ECREC', 'SHA256', 'RIPEMD160', 'ID', 'MODEXP', 'BN254_ADD', 'BN254_MUL', 'BN254_PAIRING', 'BLAKE2F'],
    },
    { from: 'cancun', first: 0x0a, names: ['KZG_POINT_EVALUATION'] },
    {
      from: 'prague',
      first: 0x0b,
      names: [
        ...['BLS12_G1ADD', 'BLS12_G1MSM', 'BLS12_G2ADD', 'BLS12_G2MSM'],
        ...['BLS12_PAIRING_CHECK', 'BLS12_MAP_FP_TO_G1', 'BLS12_MAP_FP2_TO_G2'],
      ],
    },
    { from: 'osaka', first: 0x100, names: ['P256VERIFY'] },
  ];

const SYSTEM_CONTRACTS: readonly { readonly from: TimedFork; readonly name: string; readonly address: Address }[] = [
  { from: 'cancun', name: 'BEACON_ROOTS_ADDRESS', address: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02' },
  {
    from: 'prague',
    name: 'CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS',
    address: CONSOLIDATIONS_ADDRESS,
  },
  { from: 'prague', name: 'HISTORY_STORAGE_ADDRESS', address: HISTORY_ADDRESS },
  {
    from: 'prague',
    name: 'WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS',
    address: WITHDRAWALS_ADDRESS,
  },
  { from: 'amsterdam', name: 'BUILDER_DEPOSIT_CONTRACT_ADDRESS', address: BUILDER_DEPOSITS_ADDRESS },
  { from: 'amsterdam', name: 'BUILDER_EXIT_CONTRACT_ADDRESS', address: BUILDER_EXITS_ADDRESS },
];

function isActive(from: TimedFork, now: TimedFork): boolean {
  return TIMED_FORKS.indexOf(from) <= TIMED_FORKS.indexOf(now);
}

function getPrecompiles(fork: TimedFork): Record<string, string> {
  return Object.fromEntries(
    PRECOMPILES.filter(({ from }) => isActive(from, fork)).flatMap(({ first, names }) =>
      names.map((name, position) => [name, `0x${(first + position).toString(16).padStart(40, '0')}`]),
    ),
  );
}

function getSystemContracts(fork: TimedFork, depositContract: Address | undefined): Record<string, string> {
  const contracts = SYSTEM_CONTRACTS.filter(({ from }) => isActive(from, fork)).map(({ name, address }) => [
    name,
    address,
  ]);
  const deposits = depositContract !== undefined && isActive('prague', fork);
  return Object.fromEntries([...contracts, ...(deposits ? [['DEPOSIT_CONTRACT_ADDRESS', depositContract]] : [])]);
}
