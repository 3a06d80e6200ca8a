import { type RollupClient, RollupRefused, rollupClient } from '@switchyard/client';
import { txHashOf } from '@switchyard/protocol';
import { alice, bob, carol, dave } from '../accounts/accounts.ts';
import { allDeposits, allWithdrawals } from './all-deposits.ts';
import { messengerExit, messengerWorkload, paidByMessengerFaucet } from './messenger-workload.ts';
import { isUnanswered, type NodeAccess, type RollupNode, type SimulatedRollup } from './simulated-rollup.ts';
import type { Workload } from './workload.ts';

const AT_ONCE = 100;
/** One coin. */
const GRANT = 1_000_000_000n;

/** A rollup of the framework, asked by its HTTP API. */
export function frameworkRollup(workload: Workload = messengerWorkload): SimulatedRollup {
  const { transaction, depositor } = workload;
  return {
    ...{
      senders: [alice, bob, carol],
      transaction,
      depositor,
      holdsLater: false,
      flushesCommits: false,
      hashOf: txHashOf,
      grant: GRANT,
      exit: { account: dave, transaction: messengerExit },
    },
    withdrawn: (access) => allWithdrawals(clientOf(access)),
    node: (access) => frameworkNode(clientOf(access)),
    depositLine: lineOf,
    paidByFaucet: (access) => paidByMessengerFaucet(clientOf(access)),
    check: async (access) => (await workload.check?.(clientOf(access))) ?? [],
  };
}

const clientOf = ({ url, links: { fetch } }: NodeAccess): RollupClient => rollupClient({ url, fetch });

function frameworkNode(client: RollupClient): RollupNode {
  return {
    chainId: async () => (await client.status()).chainId,

    async submit(transaction, signal) {
      try {
        await client.submit(transaction, signal);
        return 'acknowledged';
      } catch (error) {
        if (!(error instanceof RollupRefused || isUnanswered(error) || signal.aborted)) throw error;
        // The nonce is used up where an earlier try has arrived, of which no answer came.
        return error instanceof RollupRefused && (await isInBlock(client, txHashOf(transaction), signal))
          ? 'over'
          : 'again';
      }
    },

    stateOf: async (hash) => (await client.transaction(hash))?.state ?? 'unknown',

    async heads(signal) {
      const { soft, firm = 0n } = await client.status(signal);
      return { soft, firm };
    },

    hashOfBlock: async (number, signal) => (await client.block(number, signal)).hash,

    async *blocks(upTo) {
      for (let before: bigint | undefined = upTo + 1n; before !== undefined; ) {
        const page = await client.blocks({ before, limit: AT_ONCE });
        yield* page.items;
        before = page.older;
      }
    },

    async credited() {
      const deposits = await allDeposits(client);
      return deposits.filter(({ account }) => account !== undefined).map(lineOf);
    },
  };
}

interface Credit {
  readonly amount: bigint;
  readonly sourceTransaction: string;
  readonly sourceAction: bigint | number;
}

const lineOf = ({ amount, sourceTransaction, sourceAction }: Credit): string =>
  `${amount} of ${sourceTransaction}, action ${sourceAction}`;

async function isInBlock(client: RollupClient, hash: string, signal: AbortSignal): Promise<boolean> {
  const outcome = await client.transaction(hash, signal).catch(() => undefined);
  return outcome !== undefined && ['executed', 'firm', 'refused'].includes(outcome.state);
}
