import { Input } from '@switchyard/service/input';
import { expect, test } from 'vitest';
import { CANCUN_FROM_GENESIS, forkSchedule } from '../rules/forks.ts';
import { forkConfig } from './fork-config.ts';

/** Genesis settings of the chain behind the conformance suite of ethereum/execution-apis, version of August 2026. */
const CONFORMANCE = {
  chainId: 3503995874084926,
  ...{ homesteadBlock: 0, eip150Block: 3, eip155Block: 6, eip158Block: 6, byzantiumBlock: 9, constantinopleBlock: 12 },
  ...{ petersburgBlock: 15, istanbulBlock: 18, muirGlacierBlock: 21, berlinBlock: 24, londonBlock: 27 },
  ...{ arrowGlacierBlock: 30, grayGlacierBlock: 33, mergeNetsplitBlock: 36 },
  ...{ shanghaiTime: 390, cancunTime: 420, pragueTime: 450, osakaTime: 480, bpo1Time: 510, bpo2Time: 540 },
  depositContractAddress: '0x0000000000000000000000000000000000000000',
  blobSchedule: {
    cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3338477 },
    osaka: { target: 6, max: 9, baseFeeUpdateFraction: 5007716 },
    bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11684671 },
  },
};
const PLACE = {
  chainId: 3503995874084926n,
  genesisHash: '0x44fd89d504659cd58f48f4796b77a7e7012cf296a2409afa2f6c3cb99b5b3d99',
  genesisTime: 0n,
  time: 540n,
} as const;

test('describes the forks of the conformance chain as its suite expects it', () => {
  const { current, next, last } = forkConfig(forkSchedule(new Input(CONFORMANCE, 'config')), PLACE);
  expect([next, last]).toEqual([null, null]);
  expect(current).toMatchObject({
    activationTime: 540,
    blobSchedule: { target: 14, max: 21, baseFeeUpdateFraction: 11684671 },
    chainId: '0xc72dd9d5e883e',
    forkId: '0xe272ecbe',
    precompiles: {
      ECREC: '0x0000000000000000000000000000000000000001',
      KZG_POINT_EVALUATION: '0x000000000000000000000000000000000000000a',
      BLS12_MAP_FP2_TO_G2: '0x0000000000000000000000000000000000000011',
      P256VERIFY: '0x0000000000000000000000000000000000000100',
    },
    systemContracts: {
      DEPOSIT_CONTRACT_ADDRESS: '0x0000000000000000000000000000000000000000',
      HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935',
    },
  });
});

test('tells what comes next and last', () => {
  expect(forkConfig(forkSchedule(new Input(CONFORMANCE, 'config')), { ...PLACE, time: 450n })).toMatchObject({
    current: { activationTime: 450, blobSchedule: { target: 3 } },
    next: { activationTime: 480, blobSchedule: { target: 6 } },
    last: { activationTime: 540 },
  });
});

test('a rollup has the rules of Cancun from genesis and keeps them', () => {
  const { current, next } = forkConfig(CANCUN_FROM_GENESIS, { ...PLACE, genesisTime: 500n });
  expect(next).toBeNull();
  expect(current).toMatchObject({
    activationTime: 0,
    systemContracts: { BEACON_ROOTS_ADDRESS: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02' },
  });
  expect(current).not.toHaveProperty('precompiles.P256VERIFY');
});
