import { type RollupClient, rollupClient } from '@switchyard/client';
import { balance, sign } from '@switchyard/messenger/client';
import { alice, bob, carol, dave, faucetAccount, rollupBalances } from '@switchyard/network/accounts';
import type { Workload } from '@switchyard/network/simulate';
import { createSigner, fromHex, parseAnyAddress, parseDenom, txHashOf } from '@switchyard/protocol';
import { allDeposits, allWithdrawals } from './all-deposits.ts';
import type { ExitFacts } from './house.ts';
import { getUsers } from './users.ts';

const ASSET = 'nria';
const feeAsset = parseDenom(ASSET);
const PEOPLE = [alice, bob, carol];
/** Price of a text, which is destroyed. */
const TEXT_FEE = 1n;
/** Texts that the genesis makes without a price. */
const GENESIS_TEXTS = 1;

/** Texts and transfers of three accounts, one of which has only its deposits. */
export const messengerWorkload: Workload = {
  depositor: carol,
  activity: getUsers({
    ...{ faucet: 'messenger-faucet', claimants: PEOPLE, grant: 1_000_000_000n, findHash: txHashOf },
    exit: { account: dave, transaction: exit },
    paidByFaucet: (access) => paidByFaucet(rollupClient({ url: access.url, fetch: access.links.fetch })),
    withdrawn: (access) => allWithdrawals(rollupClient({ url: access.url, fetch: access.links.fetch })),
  }),

  transaction({ account, nonce, chainId, chance }) {
    const signer = createSigner(fromHex(account.key));
    // Carol may have nothing but the price of a text.
    if (account !== carol && chance.happens(0.25)) {
      const to = parseAnyAddress(chance.pick(PEOPLE).address);
      const amount = BigInt(chance.integer(0, 1_000));
      return sign({ nonce, chainId, actions: [{ kind: 'transfer', to, amount, asset: feeAsset, feeAsset }] }, signer);
    }
    const { name } = account;
    const text = `text ${nonce} of ${name}`;
    return sign({ nonce, chainId, actions: [{ kind: 'sendText', text, name, feeAsset }] }, signer);
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
async function paidByFaucet(client: RollupClient): Promise<bigint> {
  const { amount = 0n } = rollupBalances.find(({ address }) => address === faucetAccount.address) ?? {};
  return amount - (await balance(client, faucetAccount.address, ASSET));
}

/** A withdrawal of an account that does nothing else. */
function exit({ account, nonce, chainId, amount, to }: ExitFacts): Uint8Array {
  const withdrawal = { to: parseAnyAddress(to), amount, asset: feeAsset, memo: '' };
  return sign({ nonce, chainId, actions: [{ kind: 'withdraw', ...withdrawal }] }, createSigner(fromHex(account.key)));
}
