import { type RollupClient, RollupRefused, rollupClient } from '@switchyard/client';
import { txHashOf } from '@switchyard/protocol';
import { alice, bob, carol } from '../accounts/accounts.ts';
import { isUnanswered, type NodeAccess, type RollupApi, type RollupNode } from './rollup-api.ts';
import type { SimulatedRollup, Workload } from './workload.ts';

const AT_ONCE = 100;

/** A rollup whose transactions a workload makes. */
export function frameworkRollup({ transaction, check, ...workload }: Workload): SimulatedRollup {
  return {
    ...{ mayRefuse: false, senders: [alice, bob, carol], api: frameworkApi(false), ...workload },
    transaction: (facts) => ({ bytes: transaction(facts), text: '' }),
    check: async (access) => (await check?.(clientOf(access), access)) ?? [],
  };
}

/** The HTTP API of the framework. @param mayRefuse Whether the outcome of a transaction or of a deposit may be a refusal. */
export const frameworkApi = (mayRefuse: boolean): RollupApi => ({
  ...{ findHash: txHashOf, depositLine: formatLine },
  node: (access) => frameworkNode(clientOf(access), mayRefuse),
});

const clientOf = ({ url, links: { fetch } }: NodeAccess): RollupClient => rollupClient({ url, fetch });

function frameworkNode(client: RollupClient, mayRefuse: boolean): RollupNode {
  return {
    chainId: async () => (await client.status()).chainId,

    async submit(transaction, signal) {
      try {
        await client.submit(transaction, signal);
        return 'acknowledged';
      } catch (error) {
        if (!(error instanceof RollupRefused || isUnanswered(error) || signal.aborted)) throw error;
        if (!(error instanceof RollupRefused)) return 'again';
        // The nonce is used up if an earlier try has arrived, of which no answer came.
        if (await isInBlock(client, txHashOf(transaction), signal)) return 'over';
        return mayRefuse && isFinal(error) ? 'refused' : 'again';
      }
    },

    findState: async (hash) => (await client.transaction(hash))?.state ?? 'unknown',

    async findExecuted(hash) {
      const { state, sequencerHeight } = (await client.transaction(hash)) ?? {};
      return state === 'executed' || state === 'firm' ? sequencerHeight : undefined;
    },

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
      const lines: string[] = [];
      let page = await client.deposits();
      for (;;) {
        const credited = page.items.filter(({ account }) => mayRefuse || account !== undefined);
        lines.unshift(...credited.map(formatLine).reverse());
        if (page.older === undefined) return lines;
        page = await client.deposits({ before: page.older });
      }
    },
  };
}

/** Not that the node is busy, or behind. */
const isFinal = ({ status, code }: RollupRefused): boolean =>
  status >= 400 && status < 500 && status !== 429 && !code.startsWith('nonce');

interface Credit {
  readonly amount: bigint;
  readonly sourceTransaction: string;
  readonly sourceAction: bigint | number;
}

const formatLine = ({ amount, sourceTransaction, sourceAction }: Credit): string =>
  `${amount} of ${sourceTransaction}, action ${sourceAction}`;

async function isInBlock(client: RollupClient, hash: string, signal: AbortSignal): Promise<boolean> {
  const outcome = await client.transaction(hash, signal).catch(() => undefined);
  return outcome !== undefined && ['executed', 'firm', 'refused'].includes(outcome.state);
}
