import { parseInput, rollupClient, type TransactionOutcome } from '@switchyard/client/rollup';
import { type Account, account, findMessages, readText, type Text } from '@switchyard/messenger/client';
import type { MessagePage } from './conversation.ts';

export interface NodeStatus {
  readonly rollupName: string;
  readonly rollupId: string;
  readonly chainId: string;
  readonly nativeAsset: string;
  readonly soft: bigint;
  readonly firm: bigint;
  /** URLs of a faucet and of an explorer page; undefined where there are none. */
  readonly faucet: string | undefined;
  readonly explorer: string | undefined;
}

/** The node that served this page. */
const node = rollupClient({ url: location.origin });

export async function nodeStatus(): Promise<NodeStatus> {
  const { rollup, chainId, soft, firm, all } = await node.status();
  return {
    rollupName: rollup,
    rollupId: String(all.rollupId ?? ''),
    chainId,
    nativeAsset: String(all.nativeAsset ?? ''),
    soft,
    firm: firm ?? 0n,
    faucet: urlOf(all.faucet),
    explorer: urlOf(all.explorer),
  };
}

/** Only what a browser may be sent to. */
function urlOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//.test(value) ? value.replace(/\/$/, '') : undefined;
}

const PAGE = 200;

export const newestMessages = (): Promise<MessagePage> => pageOf({});
export const messagesBefore = (id: bigint): Promise<MessagePage> => pageOf({ before: id });

/** Those from an id on, itself among them, which shows whether the chain is still the same. */
export const messagesFrom = (id: bigint): Promise<MessagePage> => pageOf(id === 0n ? {} : { after: id - 1n });

async function pageOf(place: { readonly before?: bigint; readonly after?: bigint }): Promise<MessagePage> {
  const { messages, total } = await findMessages(node, { ...place, limit: PAGE });
  return { messages: messages.toReversed(), total };
}

/** Of the stream of messages, each as it is committed; the browser resumes it behind the last one that it got. */
export const MESSAGE_STREAM = '/v1/streams/messages';

/** The message in an event of that stream. */
export const textOfEvent = (data: string): Text => readText(parseInput(data, 'event'));

export const accountOf = (address: string): Promise<Account> => account(node, address);
export const nextNonce = (address: string): Promise<number> => node.nonce(address);
export const submit = (bytes: Uint8Array): Promise<unknown> => node.submit(bytes);
export const outcomeOf = (hash: string): Promise<TransactionOutcome | undefined> => node.transaction(hash);
