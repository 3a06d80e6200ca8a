import { contractApi, httpApi } from '@switchyard/client/http-api';
import { type Claim, getClaim, getInfo, type Info, listClaims, postClaim } from '@switchyard/faucet/contract';
import { showHidden } from '@switchyard/protocol/hidden-characters';

export type { Claim, Info };

/** A contract of a stranger chose some of the texts: hidden characters are shown by their codes. */
export function shown<T extends object>(record: T): T {
  const members = Object.entries(record).map(([name, value]) => [
    name,
    typeof value === 'string' ? showHidden(value) : value,
  ]);
  return Object.fromEntries(members) as T;
}

/** Only URLs that a browser may open. */
const link = (url: string | undefined): string | undefined =>
  url !== undefined && /^https?:\/\//.test(url) ? url : undefined;

export type FaucetClient = ReturnType<typeof faucetClient>;

/** @param url URL of the faucet; its page and its API are below it. */
export function faucetClient(url: string) {
  const ask = contractApi(httpApi('faucet', { url }));
  return {
    /** Amounts are decimal text, in coins. */
    async info(): Promise<Info> {
      const { explorerUrl, walletRpcUrl, ...info } = shown(await ask(getInfo, {}));
      return { ...info, explorerUrl: link(explorerUrl), walletRpcUrl: link(walletRpcUrl) };
    },
    history: async (): Promise<readonly Claim[]> => (await ask(listClaims, {})).claims.map(shown),
    /** @throws {ApiRefused} if the faucet does not accept the claim. */
    async claim(address: string): Promise<Claim> {
      const headers = { 'content-type': 'application/json' };
      return shown(await ask(postClaim, {}, { headers, body: JSON.stringify({ address }) }));
    },
    claimNow: async (id: number): Promise<Claim> => shown(await ask(getClaim, { id })),
  };
}
