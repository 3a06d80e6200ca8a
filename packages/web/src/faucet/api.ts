import { type HttpApi, httpApi, Input, object, type Read, validItems } from '@switchyard/client/http-api';

/** Text or a number, for people. */
const word: Read<string> = ({ value }) => (value === undefined || value === null ? '' : String(value));
const count: Read<number> = ({ value }) => (typeof value === 'number' ? value : 0);

const info = object({
  account: word,
  network: word,
  chainId: word,
  payout: word,
  kind: word,
  symbol: word,
  balance: word,
  minutes: count,
  clientClaims: count,
  waiting: count,
  state: word,
  problem: word,
});

const claim = object({
  id: count,
  address: word,
  amount: word,
  symbol: word,
  /** queued, sent, paid or failed */
  state: word,
  at: word,
  hash: word,
  block: word,
  reason: word,
  /** Claims that are paid before this one. */
  ahead: count,
  /** Why it waits, where there is a reason. */
  note: word,
});

/** The faucet, as it describes itself. Amounts are decimal text, in coins. */
export type Info = ReturnType<typeof info>;
export type Claim = ReturnType<typeof claim>;

export const infoFromJson = (value: unknown): Info => info(new Input(value, 'info'));
export const claimFromJson = (value: unknown): Claim => claim(new Input(value, 'claim'));

/** The faucet that served this page, below the same path. */
const faucet: HttpApi = (path, init) => httpApi('faucet', { url: new URL('.', location.href).href })(path, init);

export async function faucetInfo(): Promise<Info> {
  return info(await faucet('/api/info'));
}

export async function history(): Promise<readonly Claim[]> {
  return validItems(claim)((await faucet('/api/history')).at('claims'));
}

/** @throws {ApiRefused} where the faucet does not accept the claim. */
export async function makeClaim(address: string): Promise<Claim> {
  const headers = { 'content-type': 'application/json' };
  return claim(await faucet('/api/claim', { method: 'POST', headers, body: JSON.stringify({ address }) }));
}

export async function claimNow(id: number): Promise<Claim> {
  return claim(await faucet(`/api/claims/${id}`));
}
