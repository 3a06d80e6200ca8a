import { httpApi, Input, object, type Read, validItems } from '@switchyard/client/http-api';

/** Text or a number, for people. */
const word: Read<string> = ({ value }) => (value === undefined || value === null ? '' : String(value));
const count: Read<number> = ({ value }) => (typeof value === 'number' ? value : 0);

/** Only what a browser may be sent to. */
const link: Read<string> = ({ value }) => (typeof value === 'string' && /^https?:\/\//.test(value) ? value : '');

const info = object({
  account: word,
  network: word,
  chainId: word,
  rollup: word,
  payout: word,
  kind: word,
  symbol: word,
  balance: word,
  minutes: count,
  clientClaims: count,
  waiting: count,
  state: word,
  problem: word,
  /** Page of an explorer. */
  explorerUrl: link,
  /** JSON-RPC for wallets. */
  walletRpcUrl: link,
  /** Whether the key of `account` is published. */
  developmentKey: ({ value }) => value === true,
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

export interface FaucetClient {
  info(): Promise<Info>;
  history(): Promise<readonly Claim[]>;
  /** @throws {ApiRefused} where the faucet does not accept the claim. */
  claim(address: string): Promise<Claim>;
  claimNow(id: number): Promise<Claim>;
}

/** @param url Of the faucet; its page and its API are below it. */
export function faucetClient(url: string): FaucetClient {
  const call = httpApi('faucet', { url });
  return {
    info: async () => info(await call('/api/info')),
    history: async () => validItems(claim)((await call('/api/history')).at('claims')),
    async claim(address) {
      const headers = { 'content-type': 'application/json' };
      return claim(await call('/api/claim', { method: 'POST', headers, body: JSON.stringify({ address }) }));
    },
    claimNow: async (id) => claim(await call(`/api/claims/${id}`)),
  };
}
