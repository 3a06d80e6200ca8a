import { type Clock, silentLogger, type UnixMs, type WallClock } from '@switchyard/service';
import { ClaimService } from '../claim-service.ts';
import { Ledger } from '../ledger.ts';
import { PayoutWorker } from '../payout-worker.ts';
import { type Disk, memoryDisk, memoryStore } from './memory-store.ts';
import { ModelChain } from './model-chain.ts';

/** Time that only a test moves. Nothing waits in it. */
export class TestClock implements Clock, WallClock {
  ms = 1_000_000;
  /** How far the time of day is ahead. */
  wallAhead = 0;
  now = (): number => this.ms;
  unixMs = (): UnixMs => (this.ms + this.wallAhead) as UnixMs;
  after = (): (() => void) => () => undefined;
}

export interface TestFaucet {
  readonly chain: ModelChain;
  readonly clock: TestClock;
  readonly disk: Disk;
  readonly ledger: Ledger;
  readonly payoutWorker: PayoutWorker;
  readonly claimService: ClaimService;
  /** Takes all claims one step further, some seconds later. */
  pass(): Promise<void>;
  /** Starts the faucet again after `kill -9`: only disk and chain are left. */
  again(): TestFaucet;
}

interface Options {
  readonly chain?: ModelChain;
  readonly clock?: TestClock;
  readonly disk?: Disk;
  readonly windowMs?: number;
  readonly clientClaims?: number;
  readonly queueCap?: number;
  readonly kept?: number;
  readonly chainId?: string;
}

export function testFaucet(options: Options = {}): TestFaucet {
  const { chain = new ModelChain(), clock = new TestClock(), disk = memoryDisk() } = options;
  const { windowMs = 0, clientClaims = 5, queueCap = 100, chainId, kept } = options;
  const payer = chain.payer();
  const ledger = new Ledger(memoryStore(disk), { clock, wall: clock, windowMs, ...(kept && { kept }) });
  const { signal } = new AbortController();
  const payoutWorker = new PayoutWorker({
    payer,
    ledger,
    clock,
    wall: clock,
    log: silentLogger,
    signal,
    random: () => 0.5,
    chainId,
  });
  const coin = { symbol: 'COIN', precision: 0, amount: 10n };
  const claimService = new ClaimService({
    payer,
    ledger,
    payoutWorker,
    coin,
    limits: { windowMs, clientClaims },
    queueCap,
    clock,
    wall: clock,
  });
  return {
    chain,
    clock,
    disk,
    ledger,
    payoutWorker,
    claimService,
    async pass() {
      clock.ms += 5_000;
      await payoutWorker.pass();
    },
    again: () => testFaucet({ ...options, chain, clock, disk }),
  };
}
