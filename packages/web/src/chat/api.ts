import { parseInput, rollupClient, type TransactionOutcome } from '@switchyard/client/rollup';
import {
  type Account,
  account,
  type MessagePage,
  messagePage,
  readText,
  type Text,
} from '@switchyard/messenger/client';

export interface NodeStatus {
  readonly rollupName: string;
  readonly chainId: string;
  readonly nativeAsset: string;
  readonly firm: bigint;
}

/** The node that served this page. */
const node = rollupClient({ url: location.origin });

export async function nodeStatus(): Promise<NodeStatus> {
  const { rollup, chainId, firm, all } = await node.status();
  return { rollupName: rollup, chainId, nativeAsset: String(all.nativeAsset ?? ''), firm: firm ?? 0n };
}

const PAGE = 200;

export const newestMessages = (): Promise<MessagePage> => messagePage(node, { limit: PAGE });
export const messagesBefore = (id: bigint): Promise<MessagePage> => messagePage(node, { before: id, limit: PAGE });

/** Those from an id on, itself among them, which shows whether the chain is still the same. */
export const messagesFrom = (id: bigint): Promise<MessagePage> =>
  id === 0n ? newestMessages() : messagePage(node, { after: id - 1n, limit: PAGE });

/** The message in an event of `/v1/events`. */
export const textOfEvent = (data: string): Text => readText(parseInput(data, 'event'));

/** The number of the block in such an event. */
export const blockOfEvent = (data: string): bigint => parseInput(data, 'event').at('number').big();

export const accountOf = (address: string): Promise<Account> => account(node, address);
export const nextNonce = (address: string): Promise<number> => node.nonce(address);
export const submit = (bytes: Uint8Array): Promise<unknown> => node.submit(bytes);
export const outcomeOf = (hash: string): Promise<TransactionOutcome | undefined> => node.transaction(hash);
