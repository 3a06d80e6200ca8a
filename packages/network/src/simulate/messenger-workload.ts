import type { RollupClient } from '@switchyard/client';
import { balance, signText, signTransfer, signWithdraw } from '@switchyard/messenger/client';
import { createSigner, fromHex } from '@switchyard/protocol';
import { alice, bob, carol, dave, faucetAccount, rollupBalances } from '../accounts/accounts.ts';
import { allDeposits, allWithdrawals } from './all-deposits.ts';
import type { ExitFacts } from './simulated-rollup.ts';
import type { Workload } from './workload.ts';

const ASSET = 'nria';
const PEOPLE = [alice, bob, carol];
/** Price of a text, which is destroyed. */
const TEXT_FEE = 1n;
/** Texts that the genesis makes without a price. */
const GENESIS_TEXTS = 1;

/** Texts and transfers of three accounts, one of which has only what is deposited for it. */
export const messengerWorkload: Workload = {
  depositor: carol,

  transaction({ account, nonce, chainId, chance }) {
    const signer = createSigner(fromHex(account.key));
    const common = { nonce, chainId, feeAsset: ASSET };
    // Carol may have nothing but the price of a text.
    if (account !== carol && chance.happens(0.25)) {
      const to = chance.pick(PEOPLE).address;
      return signTransfer({ ...common, to, amount: BigInt(chance.integer(0, 1_000)), asset: ASSET }, signer);
    }
    return signText({ ...common, text: `text ${nonce} of ${account.name}`, from: account.name }, signer);
  },

  /** Value comes from genesis and deposits alone, and goes with texts and withdrawals alone. */
  async check(client) {
    const accounts = [...PEOPLE, dave, faucetAccount];
    const held = await Promise.all(accounts.map(({ address }) => balance(client, address, ASSET)));
    const { texts } = (await client.status()).all as { readonly texts: number };
    let expected =
      rollupBalances.reduce((sum, { amount }) => sum + amount, 0n) - TEXT_FEE * BigInt(texts - GENESIS_TEXTS);
    for (const { amount, account } of await allDeposits(client)) if (account !== undefined) expected += amount;
    for (const { amount } of await allWithdrawals(client)) expected -= amount;
    const sum = held.reduce((one, other) => one + other);
    return sum === expected ? [] : [`value: accounts hold ${sum}, expected ${expected}`];
  },
};

/** A payment has no fee. */
export async function paidByMessengerFaucet(client: RollupClient): Promise<bigint> {
  const { amount = 0n } = rollupBalances.find(({ address }) => address === faucetAccount.address) ?? {};
  return amount - (await balance(client, faucetAccount.address, ASSET));
}

/** A withdrawal of an account that does nothing else. */
export function messengerExit({ account, nonce, chainId, amount, to }: ExitFacts): Uint8Array {
  return signWithdraw({ nonce, chainId, amount, to, asset: ASSET }, createSigner(fromHex(account.key)));
}
