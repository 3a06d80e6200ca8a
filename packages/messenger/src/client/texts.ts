import type { Input, RollupClient } from '@switchyard/client/rollup';

/** A message as a node shows it. Nodes of the original messenger show only sender and message. */
export interface Text {
  readonly id: bigint | undefined;
  /** The name that the sender chose. */
  readonly sender: string;
  readonly message: string;
  readonly address: string | undefined;
  readonly block: bigint | undefined;
  /** RFC 3339. */
  readonly time: string | undefined;
  readonly hash: string | undefined;
}

export interface TextsPage {
  readonly after?: bigint;
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** Oldest first; without `after`, the newest ones. */
export async function texts(rollup: RollupClient, { after, limit, signal }: TextsPage = {}): Promise<Text[]> {
  const query = new URLSearchParams();
  if (after !== undefined) query.set('after', String(after));
  if (limit !== undefined) query.set('limit', String(limit));
  const answer = await rollup.get(`/recent${query.size > 0 ? `?${query}` : ''}`, signal);
  return answer.list().map(readText);
}

export interface MessagePage {
  /** Oldest first, without a gap between them. */
  readonly messages: readonly Text[];
  /** Of the chain, the greeting among them. */
  readonly total: bigint;
}

/** The messages directly before an id, those directly after one, or the newest. */
export async function messagePage(
  rollup: RollupClient,
  { before, after, limit }: { readonly before?: bigint; readonly after?: bigint; readonly limit: number },
  signal?: AbortSignal,
): Promise<MessagePage> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (before !== undefined) query.set('before', String(before));
  if (after !== undefined) query.set('after', String(after));
  const answer = await rollup.get(`/v1/texts?${query}`, signal);
  return { messages: answer.at('texts').list(limit).map(readText), total: answer.at('total').big() };
}

/** Of a list of messages, or of an event of `GET /v1/events`. @throws {InvalidData} */
export function readText(answer: Input): Text {
  const word = (name: string) => answer.at(name).optional((each) => each.text());
  const number = (name: string) => answer.at(name).optional((each) => each.big());
  return {
    id: number('id'),
    sender: answer.at('sender').text(),
    message: answer.at('message').text(),
    address: word('address'),
    block: number('block'),
    time: word('time'),
    hash: word('hash'),
  };
}
