import type { Address, Data } from '@switchyard/evm-machine/types';
import { ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import { PREDEPLOYS } from '../predeploys/predeploys.ts';
import { CANCUN_BLOBS, PRAGUE_BLOBS } from '../rules/blob-schedule.ts';
import type { PlannedFork } from '../rules/forks.ts';
import { AMSTERDAM_CONTRACTS, SYSTEM_CONTRACTS } from '../rules/system-contracts.ts';
import { type WithdrawerValues, withdrawerPredeploy } from '../withdrawer/predeploy.ts';
import { DEV_ACCOUNTS } from './development-accounts.ts';

/** Choices that a new chain's genesis file is made from. */
export interface GenesisChoices {
  readonly rollupName: string;
  readonly sequencerChainId: string;
  /** The sequencer height that block 1 is made from. */
  readonly startHeight: number;
  readonly chainId?: number | bigint;
  readonly addressPrefix?: string;
  readonly celestia?: {
    readonly chainId: string;
    readonly startHeight: number;
    readonly searchHeightMaxLookAhead: number;
  };
  readonly bridges?: readonly WithdrawerValues[];
  readonly feeRecipient?: Address;
  /** Seconds; must be before the first block of the sequencer that counts. */
  readonly timestamp?: number;
  readonly gasLimit?: number;
  /** When forks after Cancun begin, in seconds; without it those up to Osaka are in force from block 0. */
  readonly forks?: { readonly [F in PlannedFork]?: number };
  /** Whether the contracts that Prague calls exist in block 0; without it, if block 0 has Prague's rules. */
  readonly systemContracts?: boolean;
  /** Whether the contracts of `predeploys/` are there. */
  readonly predeploys?: boolean;
  /** Whether the contract is there that takes coins back to the first of the bridges, if there is one. */
  readonly withdrawer?: boolean;
  /** Wei by address, instead of the development accounts. */
  readonly balances?: ReadonlyMap<Address, bigint>;
}

/** Gas of a block. Half of it, at which the base fee stands still, is 2,380 plain transfers. */
export const DEFAULT_GAS_LIMIT = 100_000_000;
const ETHER = 10n ** 18n;
/** Balance of each development account, in wei, as with anvil and Hardhat. */
const DEV_BALANCE = 10_000n * ETHER;

/** EIP-4788: keeps the hashes of sequencer blocks for contracts to read. */
export const BEACON_ROOTS_ADDRESS: Address = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02';
export const BEACON_ROOTS_CODE: Data =
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500';
/** Deploys contracts at addresses that depend on their code alone; Foundry and others expect it everywhere. */
export const CREATE2_DEPLOYER_ADDRESS: Address = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
const CREATE2_DEPLOYER_CODE: Data =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** Keys of `config` that each name a fork: these chains begin after all of them. */
export const PAST_FORKS = [
  'homesteadBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
  'berlinBlock',
  'londonBlock',
  'terminalTotalDifficulty',
  'shanghaiTime',
  'cancunTime',
];

const FROM_THE_FIRST = { prague: 0, osaka: 0 };
/** Blob parameters that go-ethereum requires for each fork, though no block has blobs. */
const BLOBS = { cancun: CANCUN_BLOBS, prague: PRAGUE_BLOBS, osaka: PRAGUE_BLOBS };

/** Text of a genesis file that this node, geth and reth read. */
export function evmGenesisFile(choices: GenesisChoices): string {
  const { balances, chainId = 1337, celestia, feeRecipient, bridges = [], timestamp = 0 } = choices;
  const { prague, osaka, amsterdam }: GenesisChoices['forks'] = choices.forks ?? FROM_THE_FIRST;
  const { systemContracts = prague !== undefined && prague <= timestamp } = choices;
  const funded = balances === undefined ? devAlloc() : [...balances].map(([address, wei]) => [address, balance(wei)]);
  const genesis = {
    config: {
      chainId: 0,
      ...Object.fromEntries(PAST_FORKS.map((name) => [name, 0])),
      ...(prague === undefined ? {} : { pragueTime: prague }),
      ...(osaka === undefined ? {} : { osakaTime: osaka }),
      ...(amsterdam === undefined ? {} : { amsterdamTime: amsterdam }),
      blobSchedule: {
        cancun: BLOBS.cancun,
        ...(prague === undefined ? {} : { prague: BLOBS.prague }),
        ...(osaka === undefined ? {} : { osaka: BLOBS.osaka }),
      },
      switchyard: {
        rollupName: choices.rollupName,
        sequencer: {
          chainId: choices.sequencerChainId,
          addressPrefix: choices.addressPrefix ?? 'astria',
          startHeight: choices.startHeight,
        },
        ...(celestia === undefined ? {} : { celestia }),
        ...(feeRecipient === undefined ? {} : { feeRecipient }),
        bridgeAddresses: bridges.map(({ address, asset, precision }) => ({
          bridgeAddress: address,
          assetDenom: asset,
          assetPrecision: precision,
        })),
      },
    },
    nonce: '0x0',
    timestamp: hex(timestamp),
    gasLimit: hex(choices.gasLimit ?? DEFAULT_GAS_LIMIT),
    difficulty: '0x0',
    extraData: '0x',
    mixHash: `0x${'00'.repeat(32)}`,
    coinbase: ZERO_ADDRESS,
    baseFeePerGas: hex(1_000_000_000),
    alloc: Object.fromEntries([
      ...funded,
      [BEACON_ROOTS_ADDRESS, { balance: '0x0', nonce: '0x1', code: BEACON_ROOTS_CODE }],
      [CREATE2_DEPLOYER_ADDRESS, { balance: '0x0', nonce: '0x1', code: CREATE2_DEPLOYER_CODE }],
      ...(systemContracts ? SYSTEM_CONTRACTS.map(predeployed) : []),
      ...(amsterdam !== undefined && amsterdam <= timestamp ? AMSTERDAM_CONTRACTS.map(predeployed) : []),
      ...[
        ...(choices.predeploys ? PREDEPLOYS : []),
        ...(choices.withdrawer ? bridges.slice(0, 1).map(withdrawerPredeploy) : []),
      ].map(({ address, nonce, code, storage }) => [
        address,
        { balance: '0x0', nonce: hex(nonce), code, ...(storage && { storage }) },
      ]),
    ]),
  };
  // Stock clients expect a number, of which JSON.stringify writes no more than 53 bits.
  return `${JSON.stringify(genesis, undefined, 2).replace('"chainId": 0', `"chainId": ${chainId}`)}\n`;
}

function devAlloc() {
  return DEV_ACCOUNTS.map(({ address }) => [address, balance(DEV_BALANCE)] as const);
}

function predeployed({ address, code }: { readonly address: Address; readonly code: Data }) {
  return [address, { balance: '0x0', nonce: '0x1', code }] as const;
}

function balance(wei: bigint) {
  return { balance: hex(wei) };
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
