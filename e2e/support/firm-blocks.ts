import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { DeployedRollup } from './deployed-rollup.ts';
import { until } from './network.ts';

type Reader = DeployedRollup['reader'];

const MINUTE_MS = 60_000;
const ASK_EVERY_MS = 200;
/** Soft blocks without a firm one, after which none is expected. */
const ENOUGH = 5n;

const getFirm = async (reader: Reader): Promise<bigint> => (await reader.getBlock({ blockTag: 'finalized' })).number;
const getSoft = (reader: Reader): Promise<bigint> => reader.getBlockNumber({ cacheTime: 0 });

/** Waits until a block is firm. */
export async function isFirm(reader: Reader, wanted: bigint): Promise<void> {
  const reached = async () => (await getFirm(reader)) >= wanted || undefined;
  await until(`block ${wanted} is firm`, reached, 2 * MINUTE_MS, ASK_EVERY_MS);
}

/** Sends a transaction and waits until its block is firm: relayers let blocks without any wait for up to 30 s. */
export async function becomesFirm({ reader, getWallet }: DeployedRollup, key: Hex): Promise<void> {
  const sent = () => getWallet(key).sendTransaction({ to: privateKeyToAddress(key), value: 1n });
  const hash = await until('a transaction is taken', sent, MINUTE_MS, ASK_EVERY_MS);
  const { blockNumber } = await reader.waitForTransactionReceipt({ hash, timeout: MINUTE_MS });
  await isFirm(reader, blockNumber);
}

/** Waits until soft blocks come and no firm ones: earlier posts have been read by then. */
export async function firmStops(reader: Reader): Promise<void> {
  let since = { firm: await getFirm(reader), soft: await getSoft(reader) };
  await until(
    'soft blocks without firm ones',
    async () => {
      const now = { firm: await getFirm(reader), soft: await getSoft(reader) };
      if (now.firm !== since.firm) since = now;
      return now.soft >= since.soft + ENOUGH || undefined;
    },
    2 * MINUTE_MS,
    ASK_EVERY_MS,
  );
}
