import { Input, type RollupClient, RollupRefused, rollupClient } from '@switchyard/client/rollup';
import {
  type Account,
  account,
  accountFrom,
  findMessages,
  type ProvenAccount,
  provenAccount,
  type Text,
} from '@switchyard/messenger/client';
import { status } from '@switchyard/messenger/contract';

/** The node that served this page. */
export const node: RollupClient = rollupClient({ url: location.origin });

/** The chain of the node, and what it is connected with: nothing of it changes while the node runs. */
export type NodeStatus = Awaited<ReturnType<typeof nodeStatus>>;

export async function nodeStatus() {
  const { rollup: rollupName, chainId, all } = await node.status();
  const input = new Input(all, 'status');
  const { nativeAsset, faucet, explorer, withdrawals: assets = [] } = status.read(input);
  const least = assets.length === 0 ? undefined : await leastWithdrawals();
  const rollupId = input.at('rollupId').text();
  const sequencer = {
    chainId: input.at('sequencerChainId').text(),
    genesisHeight: input.at('sequencerGenesisBlockHeight').big(),
  };
  // URLs of a faucet and of an explorer page; undefined if there are none.
  const links = { faucet: link(faucet), explorer: link(explorer) };
  return { rollupName, rollupId, chainId, nativeAsset, withdrawals: least, sequencer, ...links };
}

/** The smallest withdrawal of each asset that can go back to the sequencer, from the genesis. */
async function leastWithdrawals(): Promise<ReadonlyMap<string, bigint>> {
  const bridges = (await node.get('/v1/bridges')).at('bridges').list();
  return new Map(bridges.map((each) => [each.at('asset').text(), BigInt(each.at('minimum').text())]));
}

/** Only URLs that a browser may open. */
const link = (url: string | undefined): string | undefined =>
  url !== undefined && /^https?:\/\//.test(url) ? url.replace(/\/$/, '') : undefined;

const PAGE = 200;

/** Messages before this one, oldest first, without a gap between them. */
export async function messagesBefore(id: bigint): Promise<readonly Text[]> {
  return (await findMessages(node, { before: id, limit: PAGE })).messages.toReversed();
}

/** With proofs, which there are from block 1 on. */
export async function findAccount(address: string): Promise<Account & { readonly shown: ProvenAccount | undefined }> {
  try {
    const shown = await provenAccount(node, address);
    return { ...accountFrom(shown), shown };
  } catch (error) {
    if (!(error instanceof RollupRefused)) throw error;
    return { ...(await account(node, address)), shown: undefined };
  }
}

/** Something of the rollup in the explorer, if one is known. */
export const explorerUrl = (
  status: NodeStatus | undefined,
  kind: 'transactions' | 'accounts',
  id = '',
): string | undefined => status?.explorer && `${status.explorer}/#/rollups/${status.rollupId}/${kind}/${id}`;
