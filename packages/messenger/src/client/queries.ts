/** The messenger's queries, without the code for signing: they load in a tenth of the time. */
import {
  type Input,
  object,
  optional,
  type PageQuery,
  pageFrom,
  type Read,
  type RollupClient,
  type RollupPage,
  requestPath,
  withQuery,
} from '@switchyard/client/rollup';
import { getAccount, listMessages, message, account as record } from '../contract.ts';

type Whole = ReturnType<typeof record.read>;

/** `nonce` counts transactions that were executed, `pendingNonce` also waiting ones. */
export interface Account extends Pick<Whole, 'nonce' | 'pendingNonce'> {
  readonly balances: readonly { readonly asset: string; readonly amount: bigint }[];
}

/** An account as its node shows it, with the proofs of its nonce and balances. */
export type ProvenAccount = Whole;

/** Nonce and balances of an account, with their proofs. */
export async function provenAccount(
  rollup: Pick<RollupClient, 'get'>,
  address: string,
  signal?: AbortSignal,
): Promise<ProvenAccount> {
  return record.read(await rollup.get(requestPath(getAccount, { address, proof: true }), signal));
}

/** Nonce and balances of an account. */
export async function account(
  rollup: Pick<RollupClient, 'get'>,
  address: string,
  signal?: AbortSignal,
): Promise<Account> {
  return accountFrom(record.read(await rollup.get(requestPath(getAccount, { address }), signal)));
}

export const accountFrom = ({ nonce, pendingNonce, balances }: Whole): Account => ({
  nonce,
  pendingNonce,
  balances: balances.map(({ asset, amount }) => ({ asset, amount: BigInt(amount) })),
});

/** Balance of an account in an asset, in its smallest unit. */
export async function balance(
  rollup: RollupClient,
  address: string,
  asset: string,
  signal?: AbortSignal,
): Promise<bigint> {
  const path = `/get_account_balance/${encodeURIComponent(address)}/${encodeURIComponent(asset)}`;
  return (await rollup.get(path, signal)).big();
}

const { id, sender, message: words, address, block, time, hash } = message.members;
/** A member that is null if there is nothing is absent too. */
const given = <T>({ read }: { readonly read: Read<T> }) => optional(read as Read<NonNullable<T>>);
const signed = { sender: sender.read, message: words.read, address: given(address), hash: given(hash) };
const text = object({ id: id.read, ...signed, block: block.read, time: time.read });
/** Nodes of the original messenger show only sender and message. */
const recent = object({ id: given(id), ...signed, block: given(block), time: given(time) });

/** A message as a node shows it. */
export type Text = ReturnType<typeof text>;

export interface TextsPage {
  readonly after?: bigint | undefined;
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal;
}

/** Oldest first; without `after`, the newest ones. */
export async function texts(rollup: RollupClient, { after, limit, signal }: TextsPage = {}) {
  const answer = await rollup.get(withQuery('/recent', { after, limit }), signal);
  return answer.list().map(recent);
}

/** Reads an item of a list of messages, or an event of a stream of messages. @throws {InvalidData} */
export const readText = (answer: Input): Text => text(answer);

export interface MessageQuery extends PageQuery {
  /** Address of who signed. */
  readonly sender?: string;
  /** Words that a message must have, all of them. */
  readonly q?: string;
  readonly signal?: AbortSignal;
}

export interface FoundMessages extends Omit<RollupPage<Text>, 'items'> {
  /** Newest first. */
  readonly messages: readonly Text[];
  readonly total: bigint;
}

/** Messages newest first: all, those of an account, those with some words. */
export async function findMessages(
  rollup: Pick<RollupClient, 'get'>,
  { signal, ...query }: MessageQuery = {},
): Promise<FoundMessages> {
  const answer = await rollup.get(requestPath(listMessages, { ...query }), signal);
  const { items, ...cursors } = pageFrom(answer, 'messages', readText);
  return { messages: items, ...cursors, total: answer.at('total').big() };
}
