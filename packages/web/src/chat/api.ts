import { signText } from '@switchyard/messenger/client';
import { formatAddress, type Signer } from '@switchyard/protocol';

/** A text as the node shows it. */
export interface Text {
  readonly id: string;
  readonly sender: string;
  readonly message: string;
  readonly address: string | null;
  readonly block: string;
  readonly time: string;
  readonly hash: string | null;
}

export interface NodeStatus {
  readonly rollupName: string;
  readonly chainId: string;
  readonly nativeAsset: string;
}

/** Integers of 64 bits arrive as numbers or decimal strings; here they are only shown and compared. */
const word = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

function fields(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('the node answered something that is not an object');
  // Any object can be asked for members that it may lack.
  return value as Readonly<Record<string, unknown>>;
}

export function textFromJson(value: unknown): Text {
  const { id, sender, message, address, block, time, hash } = fields(value);
  return {
    id: word(id),
    sender: word(sender),
    message: word(message),
    address: word(address) || null,
    block: word(block),
    time: word(time),
    hash: word(hash) || null,
  };
}

async function request(path: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(path, init).catch(() => {
    throw new Error('the node does not answer');
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const { message } = fields(fields(body ?? {}).error ?? {});
  throw new Error(word(message) || `the node answered ${response.status}`);
}

export async function nodeStatus(): Promise<NodeStatus> {
  const { rollup, chainId, nativeAsset } = fields(await request('/v1/status'));
  return { rollupName: word(rollup), chainId: word(chainId), nativeAsset: word(nativeAsset) };
}

/** The newest texts, oldest first. */
export async function newestTexts(): Promise<Text[]> {
  const { texts } = fields(await request('/v1/texts?limit=200'));
  return Array.isArray(texts) ? texts.map(textFromJson) : [];
}

export interface Account {
  readonly nonce: number;
  readonly balance: string;
}

export async function account(signer: Signer, asset: string): Promise<Account> {
  const { pendingNonce, balances } = fields(await request(`/v1/accounts/${formatAddress(signer.account)}`));
  const held = Array.isArray(balances) ? balances.map(fields).find((entry) => entry.asset === asset) : undefined;
  return { nonce: Number(pendingNonce), balance: word(held?.amount ?? '0') };
}

/** Signs and submits. @returns the hash under which the text will appear. */
export async function send(signer: Signer, status: NodeStatus, from: string, text: string): Promise<string> {
  const { nonce } = await account(signer, status.nativeAsset);
  const bytes = signText({ nonce, chainId: status.chainId, text, from, feeAsset: status.nativeAsset }, signer);
  const { hash } = fields(
    await request('/v1/transactions', { method: 'POST', body: new Blob([new Uint8Array(bytes)]) }),
  );
  return word(hash);
}

/** Why a transaction was refused in its block, once it is known; undefined when it was executed. */
export async function outcome(hash: string): Promise<string | undefined> {
  const { state, reason } = fields(await request(`/v1/transactions/${hash}?wait=executed&timeoutMs=30000`));
  return state === 'refused' ? word(reason) : undefined;
}
