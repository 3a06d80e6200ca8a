import { accountBytes, accountIdFromBytes, fromHex } from '@switchyard/protocol';
import { bringWalletSignatures, encodeEnvelope, isSignedByWallet } from '@switchyard/protocol/wallet-signature';
import type { WalletSigner } from '../../define/submission.ts';
import { hashOfTypedData, toTypedData } from '../../define/typed-data.ts';

/** A wallet in the browser, by EIP-1193: `window.ethereum`, or a wallet announced by EIP-6963. */
export interface WalletProvider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** The person does not agree. */
const REFUSED = 4_001;

/**
 * Connects a wallet of Ethereum, whose account signs for chains that allow it: the person sees the fields of each action.
 *
 * @param address The account of the signatures; the first shared one, if undefined.
 * @throws {Error} if the wallet does not share the account.
 * @example
 * ```ts
 * declare const ethereum: WalletProvider;
 * const app = liveClient(counter, { url: location.origin, signer: await walletSigner(ethereum) });
 * ```
 */
export async function walletSigner(
  provider: WalletProvider,
  { address }: { readonly address?: string } = {},
): Promise<WalletSigner> {
  const ask = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    try {
      return await provider.request({ method, params });
    } catch (cause) {
      const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
      const reason = code === REFUSED ? 'it was refused in the wallet' : `the wallet: ${String(message ?? cause)}`;
      throw new Error(reason, { cause });
    }
  };
  const shared = async (method: string): Promise<readonly string[]> => {
    const found = await ask(method);
    return Array.isArray(found) ? found.map((each) => String(each).toLowerCase()) : [];
  };
  const all = await shared('eth_requestAccounts');
  const first = address === undefined ? all[0] : all.find((each) => each === address.toLowerCase());
  if (first === undefined) throw new Error(`the wallet does not share ${address ?? 'an account'}`);
  const account = accountIdFromBytes(fromHex(first.slice(2)));
  return {
    account,
    async signTransaction(contract, transaction) {
      // Without a question to the person.
      if (!(await shared('eth_accounts')).includes(first))
        throw new Error(`the wallet is locked, or does not share ${first} any more`);
      const signed = { typeUrl: contract.typeUrl, body: contract.body.encode(transaction) };
      await bringWalletSignatures();
      const data = toTypedData(contract, signed, transaction);
      const signature = toSignature(await ask('eth_signTypedData_v4', [first, JSON.stringify(data)]));
      if (!isSignedByWallet(signature, hashOfTypedData(data), accountBytes(account)))
        throw new Error(`the wallet has not signed this transaction with ${first}`);
      return encodeEnvelope(signed.typeUrl, signed.body, accountBytes(account), signature);
    },
  };
}

/** Some wallets end a signature with 0 or 1 in place of 27 or 28. */
function toSignature(answer: unknown): Uint8Array {
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{130}$/i.test(answer)) return new Uint8Array();
  const signature = fromHex(answer.slice(2));
  const last = signature[64] ?? 0;
  signature[64] = last < 27 ? last + 27 : last;
  return signature;
}
