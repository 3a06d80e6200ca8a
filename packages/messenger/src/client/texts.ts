import { type Input, object, optional, type Read, type RollupClient, withQuery } from '@switchyard/client/rollup';
import { message } from '../contract.ts';

const { id, sender, message: words, address, block, time, hash } = message.members;
/** A member that is null where there is nothing is absent too. */
const given = <T>({ read }: { readonly read: Read<T> }) => optional(read as Read<NonNullable<T>>);
const text = object({
  ...{ id: given(id), sender: sender.read, message: words.read, address: given(address) },
  ...{ block: given(block), time: given(time), hash: given(hash) },
});

/** A message as a node shows it. Nodes of the original messenger show only sender and message. */
export type Text = ReturnType<typeof text>;

export interface TextsPage {
  readonly after?: bigint | undefined;
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal;
}

/** Oldest first; without `after`, the newest ones. */
export async function texts(rollup: RollupClient, { after, limit, signal }: TextsPage = {}): Promise<Text[]> {
  const answer = await rollup.get(withQuery('/recent', { after, limit }), signal);
  return answer.list().map(readText);
}

/** Reads an item of a list of messages, or an event of a stream of messages. @throws {InvalidData} */
export const readText = (answer: Input): Text => text(answer);
