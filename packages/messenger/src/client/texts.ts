import { type Input, type RollupClient, withQuery } from '@switchyard/client/rollup';

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
  const answer = await rollup.get(withQuery('/recent', { after, limit }), signal);
  return answer.list().map(readText);
}

/** Of a list of messages, or of an event of a stream of messages. @throws {InvalidData} */
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
