import { formatAmount } from '@switchyard/protocol/values';
import { type Clock, HttpError, type Metrics, type WallClock } from '@switchyard/service';
import { type Claim, isOpen } from './claim.ts';
import type { Coin } from './config.ts';
import type { Claim as ClaimJson, Info } from './contract.ts';
import type { Ledger } from './ledger.ts';
import { type LimitBounds, type Limited, limited } from './limits.ts';
import type { Funds, Payer } from './payer.ts';
import type { PayoutWorker } from './payout-worker.ts';
import { spanText } from './span-text.ts';

export interface ClaimServiceParts {
  readonly payer: Pick<Payer, 'account' | 'recipient'>;
  readonly ledger: Ledger;
  readonly payoutWorker: PayoutWorker;
  readonly coin: Coin;
  readonly limits: Omit<LimitBounds, 'allClaims'>;
  readonly queueCap: number;
  readonly clock: Clock;
  readonly wall: WallClock;
}

export type ClaimState = ClaimJson['state'];
export type ClaimServiceState = Info['state'];

/** Accepts or refuses claims, and reports their state. */
export class ClaimService {
  readonly parts: ClaimServiceParts;

  constructor(parts: ClaimServiceParts) {
    this.parts = parts;
  }

  /** Claims that are neither paid nor failed. */
  get waiting(): number {
    return this.parts.ledger.unfinishedCount;
  }

  /** Refreshes the balance, waiting at most `ms`. */
  look(ms: number): Promise<void> {
    const { payoutWorker, clock } = this.parts;
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve);
      void payoutWorker.refresh().then(() => {
        cancel();
        resolve();
      });
    });
  }

  status(): { readonly state: ClaimServiceState; readonly problem?: string; readonly funds: Funds | undefined } {
    const { payoutWorker, coin } = this.parts;
    const { funds, trouble } = payoutWorker;
    if (trouble?.kind === 'unusable') return { state: 'unusable', problem: trouble.reason, funds };
    // Why is for the log and for /readyz: it is about machines that a stranger need not know of.
    if (trouble !== undefined) return { state: 'absent', problem: 'the node does not answer', funds };
    if (funds === undefined) return { state: 'absent', problem: 'the node has not answered yet', funds };
    const needed = coin.amount + funds.fee;
    if ((payoutWorker.spare ?? 0n) >= needed) return { state: 'ready', funds };
    return { state: 'empty', problem: this.#emptyText(funds), funds };
  }

  /**
   * Takes a claim in; it is on disk when this resolves. The claim that waits for an address already is answered again.
   *
   * @param address In its one spelling.
   * @throws {HttpError} 400, 429 or 503.
   */
  async accept(address: string, client: string): Promise<Claim> {
    const { ledger, payoutWorker, coin, queueCap, clock, wall, limits, payer } = this.parts;
    if (address === payer.account) throw new HttpError(400, 'malformed', 'that is the account of the faucet itself');
    const waiting = ledger.findUnfinished(address);
    if (waiting !== undefined) {
      await ledger.written(waiting);
      return waiting;
    }
    const now = clock.now();
    const limit = limited(
      ledger.newestFirst(),
      { address, client, now, since: (claim) => ledger.msSince(claim) },
      { ...limits, allClaims: ledger.kept },
    );
    if (limit !== undefined) throw tooSoon(limit.who, limit.again - now);
    const { state, problem = '' } = this.status();
    if (state === 'unusable') throw new HttpError(503, 'unusable', problem);
    if (state === 'empty') throw new HttpError(503, 'empty', problem);
    if (ledger.unfinishedCount >= queueCap) {
      throw new HttpError(
        503,
        'queue-full',
        `${queueCap} claims wait to be paid, which is as many as may; try again later`,
      );
    }
    const claim = await ledger.accept({ address, client, amount: coin.amount, at: wall.unixMs() });
    payoutWorker.wake();
    return claim;
  }

  /** The claim once it is not queued any more, or its state when the signal aborts. */
  async watch({ id }: Claim, signal: AbortSignal): Promise<Claim> {
    const { ledger } = this.parts;
    for (;;) {
      const claim = ledger.get(id);
      if (claim === undefined) throw new HttpError(404, 'not-found', 'the claim is forgotten');
      if (this.findState(claim) !== 'queued' || signal.aborted) return claim;
      await ledger.change(signal).catch(() => undefined);
    }
  }

  find(id: number): Claim | undefined {
    return this.parts.ledger.get(id);
  }

  newest(limit: number): Claim[] {
    const claims: Claim[] = [];
    for (const claim of this.parts.ledger.newestFirst()) {
      if (claims.length === limit) break;
      claims.push(claim);
    }
    return claims;
  }

  findState(claim: Claim): ClaimState {
    if (!isOpen(claim)) return claim.kind;
    return this.parts.payoutWorker.isHeld(claim) ? 'sent' : 'queued';
  }

  /** Claims that are paid before this one. */
  ahead(claim: Claim): number {
    return this.parts.ledger.unfinished().filter((each) => each.id < claim.id && this.findState(each) === 'queued')
      .length;
  }

  /** Why it is not sent yet, if there is a reason. */
  findNote(claim: Claim): string | undefined {
    const { trouble } = this.parts.payoutWorker;
    return trouble === undefined ? this.parts.payoutWorker.findNote(claim) : this.status().problem;
  }

  #emptyText({ balance }: Funds): string {
    const { coin, payer, ledger } = this.parts;
    const coins = (units: bigint) => `${formatAmount(units, coin.precision)} ${coin.symbol}`;
    const promised = ledger.unfinishedCount === 0 ? '' : ', promised to claims that wait,';
    return `the faucet is empty: it holds ${coins(balance)}${promised} and pays ${coins(coin.amount)}; send some to ${payer.account}`;
  }
}

/** Shows the faucet's numbers. */
export function observe(metrics: Metrics, claimService: ClaimService): void {
  const { precision } = claimService.parts.coin;
  const waiting = metrics.gauge('claims_waiting', 'claims accepted and not paid yet');
  const balance = metrics.gauge('balance_coins', 'what the faucet holds, in coins, as last seen');
  const ready = metrics.gauge('ready', '1 while a claim could be paid');
  metrics.beforeText(() => {
    const { funds, state } = claimService.status();
    waiting.set(claimService.waiting);
    ready.set(state === 'ready' ? 1 : 0);
    // A gauge holds a floating-point number anyway.
    if (funds !== undefined) balance.set(Number(formatAmount(funds.balance, precision)));
  });
}

const TOO_SOON: Readonly<Record<Limited['who'], string>> = {
  address: 'this address was paid a short time ago',
  client: 'your network address has made its claims for now',
  all: 'the faucet has paid as many claims as it may for now',
};

function tooSoon(who: Limited['who'], ms: number): HttpError {
  return new HttpError(429, 'limited', `${TOO_SOON[who]}; try again in ${spanText(ms)}`, {
    againInSeconds: Math.ceil(ms / 1_000),
  });
}
