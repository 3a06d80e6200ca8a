import { signTransaction } from '@switchyard/evm/testing';
import { type Random, seededKey } from '@switchyard/service/testing';
import { type Hex, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CHAIN_ID, devAddress, devKey } from '../../support/evm.ts';
import type { HttpClient } from '../../support/http-client.ts';
import type { ClientLog } from '../record.ts';
import type { Answer, Sender, Signed } from './lane.ts';

const FEES = { maxFeePerGas: 100n * 10n ** 9n, maxPriorityFeePerGas: 1n };
const GIVEN = 50n * 10n ** 18n;
export const EVM_ASSET = 'wei';

export interface EvmLoad {
  readonly http: HttpClient;
  readonly seed: string;
  readonly lanes: number;
  readonly log: Pick<ClientLog, 'write'>;
  readonly random: Random;
}

/** New accounts with money of the first development account's, written into the log. Called before any fault. */
export async function evmSenders({ http, seed, lanes, log, random }: EvmLoad): Promise<Sender[]> {
  const accounts = Array.from({ length: lanes }, (_, index) => {
    const key = toHex(seededKey(seed, `evm/${index}`));
    return { key, address: privateKeyToAccount(key).address.toLowerCase() as Hex };
  });
  // Not zero if the network has had accounts from here before.
  const first = BigInt(String(await http.rpc('eth_getTransactionCount', devAddress(0), 'pending')));
  let hash: unknown;
  for (const [index, { address }] of accounts.entries()) {
    const fields = {
      chainId: BigInt(CHAIN_ID),
      nonce: first + BigInt(index),
      to: address,
      value: GIVEN,
      gasLimit: 21_000n,
    };
    hash = await http.rpc('eth_sendRawTransaction', toHex(signTransaction({ ...FEES, ...fields }, devKey(0))));
  }
  for (const end = performance.now() + 20_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if ((await http.rpc('eth_getTransactionReceipt', hash)) !== null) break;
    if (performance.now() > end) throw new Error('funding: the last transfer is in no block after 20 s');
  }
  for (const { address } of accounts) {
    log.write({ kind: 'account', address, asset: EVM_ASSET, amount: String(GIVEN) });
  }
  const addresses = accounts.map(({ address }) => address);
  return accounts.map(({ key, address }) => ({
    from: address,
    sign(nonce) {
      const to = random.pick(addresses);
      const value = BigInt(random.between(1, 1_000));
      const fields = { chainId: BigInt(CHAIN_ID), nonce: BigInt(nonce), to, value, gasLimit: 21_000n };
      const raw = signTransaction({ ...FEES, ...fields }, key);
      return toSigned(http, raw, { kind: 'transfer', to, asset: EVM_ASSET, amount: String(value) });
    },
  }));
}

function toSigned(http: HttpClient, raw: Uint8Array, intent: Signed['intent']): Signed {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [toHex(raw)] });
  return {
    id: keccak256(raw),
    intent,
    async send({ cut }) {
      try {
        const { status, text } = await http.post(body, cut);
        return makeAnswer(status, text);
      } catch (error) {
        return { outcome: 'unknown', follow: 'again', detail: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** Interprets an answer of `eth_sendRawTransaction` for the client. */
export function makeAnswer(status: number, text: string): Answer {
  const message = messageIn(text);
  if (message === '') return { outcome: 'acknowledged', follow: 'next' };
  const detail = `${status} ${message ?? text.slice(0, 200)}`;
  if (message === undefined)
    return { outcome: status >= 500 || status === 429 ? 'unavailable' : 'refused', follow: 'again', detail };
  // A wallet takes `already known` for success: the node has these bytes.
  if (/already known/.test(message)) return { outcome: 'acknowledged', follow: 'next', detail };
  if (/nonce too low/.test(message)) return { outcome: 'unknown', follow: 'next', detail };
  if (/may be on its way/.test(message)) return { outcome: 'unknown', follow: 'again', detail };
  if (/again later|again shortly/.test(message)) return { outcome: 'unavailable', follow: 'again', detail };
  return { outcome: 'refused', follow: 'again', detail };
}

/** Empty if there is a result; undefined if it is no answer of JSON-RPC. */
function messageIn(text: string): string | undefined {
  try {
    // JSON-RPC defines these members.
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: { message?: string } };
    if (error?.message !== undefined) return error.message;
    return typeof result === 'string' ? '' : undefined;
  } catch {
    return undefined;
  }
}
