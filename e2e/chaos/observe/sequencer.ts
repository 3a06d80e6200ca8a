import { readFileSync } from 'node:fs';
import { sequencerClient } from '@switchyard/client';
import { decodeRollupData, type RollupId, txHashOf } from '@switchyard/protocol';
import type { HttpClient } from '../../support/http-client.ts';
import type { SequencerBlock } from '../check/observed.ts';
import type { History } from '../history.ts';
import { SEQUENCER_ASSET } from '../load/deposits.ts';
import { type GenesisAccounts, genesisSupply } from './genesis.ts';
import { askAll, range } from './pages.ts';

/** Answer of CometBFT's `blockchain`; the sequencer under any engine answers in this form. */
interface Metas {
  readonly result: {
    readonly block_metas: readonly {
      readonly block_id: { readonly hash: string };
      readonly header: { readonly height: string; readonly last_block_id: { readonly hash: string } };
    }[];
  };
}

const PAGE = 20;

export async function sequencerHeight(http: HttpClient): Promise<number> {
  const answer = (await http.json('/status')) as { result: { sync_info: { latest_block_height: string } } };
  return Number(answer.result.sync_info.latest_block_height);
}

/** Every block up to a height. */
export async function sequencerBlocks(http: HttpClient, newest: number): Promise<SequencerBlock[]> {
  const starts = range(0, Math.ceil(newest / PAGE) - 1).map((page) => page * PAGE + 1);
  const pages = await askAll(starts, async (from) => {
    const to = Math.min(newest, from + PAGE - 1);
    const { result } = (await http.json(`/blockchain?minHeight=${from}&maxHeight=${to}`)) as Metas;
    return result.block_metas.map(({ block_id: id, header }) => ({
      height: Number(header.height),
      hash: id.hash.toLowerCase(),
      parentHash: header.last_block_id.hash.toLowerCase(),
    }));
  });
  return pages.flat().sort((a, b) => a.height - b.height);
}

/**
 * Positions of a rollup's data in the sequencer's blocks: heights by transaction.
 *
 * @param idOf The name by which the clients know a transaction.
 */
export async function sequencedData(
  urls: { readonly rpcUrl: string; readonly grpcUrl: string },
  { rollup, from, to, getId }: { rollup: RollupId; from: number; to: number; getId: (bytes: Uint8Array) => string },
): Promise<Map<string, number[]>> {
  const client = sequencerClient({ ...urls, timeoutMs: 30_000 });
  try {
    const found = new Map<string, number[]>();
    const heights = range(from, to);
    const blocks = await askAll(heights, (height) => client.filteredBlock(BigInt(height), rollup), 8);
    for (const [index, { rollups }] of blocks.entries()) {
      for (const bytes of rollups.flatMap(({ transactions }) => transactions)) {
        const data = decodeRollupData(bytes);
        if (data.kind !== 'sequencedData') continue;
        const id = getId(data.data);
        found.set(id, [...(found.get(id) ?? []), heights[index] ?? 0]);
      }
    }
    return found;
  } finally {
    client.close();
  }
}

/** Total of the native asset in all accounts, and the balance of the bridge. */
export async function sequencerFunds(rpcUrl: string, genesisFile: string, bridge: string) {
  const client = sequencerClient({ rpcUrl, timeoutMs: 10_000 });
  // The file that `dev init` wrote.
  const { app_state: genesis } = JSON.parse(readFileSync(genesisFile, 'utf8')) as { app_state: GenesisAccounts };
  const held = async (address: string): Promise<bigint> => {
    const { balances } = await client.balances(address);
    return balances.find(({ asset }) => asset === SEQUENCER_ASSET)?.amount ?? 0n;
  };
  try {
    const addresses = new Set([...genesis.accounts.map(({ address }) => address.bech32m), bridge]);
    const all = await askAll([...addresses], held, 4);
    return {
      supply: all.reduce((sum, amount) => sum + amount, 0n),
      genesisSupply: genesisSupply(genesis),
      bridgeBalance: await held(bridge),
    };
  } finally {
    client.close();
  }
}

/** Deposits of the clients that are in a block and were executed. By the blocks: the index lacks entries lost in a kill. */
export async function includedDeposits(rpcUrl: string, { sent }: History, newest: number): Promise<Set<string>> {
  const client = sequencerClient({ rpcUrl, timeoutMs: 30_000 });
  try {
    const blocks = await askAll(
      range(1, newest).map(BigInt),
      async (height) => {
        const [{ txs }, results] = await Promise.all([client.block(height), client.blockResults(height)]);
        return txs.filter((_, index) => results[index]?.code === 0).map(txHashOf);
      },
      8,
    );
    return new Set<string>(blocks.flat().filter((id) => sent.get(id)?.intent.kind === 'deposit'));
  } finally {
    client.close();
  }
}
