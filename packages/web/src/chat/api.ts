import { Input, parseInput, type RollupClient, RollupRefused, rollupClient } from '@switchyard/client/rollup';
import {
  type Account,
  account,
  accountFrom,
  type FoundMessages,
  findMessages,
  type MessageQuery,
  type ProvenAccount,
  provenAccount,
  readText,
  type Text,
} from '@switchyard/messenger/client';
import { status } from '@switchyard/messenger/contract';
import type { MessagePage } from './conversation.ts';
import type { Signed } from './outgoing.ts';

/** The node that served this page. */
export const node: RollupClient = rollupClient({ url: location.origin });

export type NodeStatus = Awaited<ReturnType<typeof nodeStatus>>;

export async function nodeStatus() {
  const { rollup: rollupName, chainId, soft, firm = 0n, all } = await node.status();
  const input = new Input(all, 'status');
  const { nativeAsset, faucet, explorer, withdrawals: assets = [] } = status.read(input);
  if (assets.length > 0 && least === undefined) least = await leastWithdrawals();
  const rollupId = input.at('rollupId').text();
  const sequencer = {
    chainId: input.at('sequencerChainId').text(),
    genesisHeight: input.at('sequencerGenesisBlockHeight').big(),
  };
  // URLs of a faucet and of an explorer page; undefined if there are none.
  const links = { faucet: link(faucet), explorer: link(explorer) };
  return { rollupName, rollupId, chainId, nativeAsset, withdrawals: least, soft, firm, sequencer, ...links };
}

let least: ReadonlyMap<string, bigint> | undefined;

/** The smallest withdrawal of each asset that can go back to the sequencer, from the genesis. */
async function leastWithdrawals(): Promise<ReadonlyMap<string, bigint>> {
  const bridges = (await node.get('/v1/bridges')).at('bridges').list();
  return new Map(bridges.map((each) => [each.at('asset').text(), BigInt(each.at('minimum').text())]));
}

/** Only URLs that a browser may open. */
const link = (url: string | undefined): string | undefined =>
  url !== undefined && /^https?:\/\//.test(url) ? url.replace(/\/$/, '') : undefined;

const PAGE = 200;

export const messagesBefore = (id: bigint): Promise<MessagePage> => getPage({ before: id });

/** Messages from an id on, itself among them, which shows whether the chain is still the same; without an id the newest. */
export const messagesFrom = (id = 0n): Promise<MessagePage> => getPage(id === 0n ? {} : { after: id - 1n });

/** Messages newest first, with some words or of one account. */
export const searchMessages = (query: MessageQuery): Promise<FoundMessages> => findMessages(node, query);

async function getPage(place: { readonly before?: bigint; readonly after?: bigint }): Promise<MessagePage> {
  const { messages, total } = await findMessages(node, { ...place, limit: PAGE });
  return { messages: messages.toReversed(), total };
}

/** Path of the stream of messages, each sent once committed; the browser resumes behind the last received one. */
export const MESSAGE_STREAM = '/v1/streams/messages';

/** The message in an event of that stream. */
export const textOfEvent = (data: string): Text => readText(parseInput(data, 'event'));

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

export const findOutcome = ({ hash, blocks }: Signed) => node.transaction(hash, undefined, blocks);

/** Something of the rollup in the explorer, if one is known. */
export const explorerUrl = (
  status: NodeStatus | undefined,
  kind: 'transactions' | 'accounts',
  id = '',
): string | undefined => status?.explorer && `${status.explorer}/#/rollups/${status.rollupId}/${kind}/${id}`;
