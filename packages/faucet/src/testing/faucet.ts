import { type Clock, silentLogger, type UnixMs, type WallClock } from '@switchyard/service';
import { Cashier } from '../cashier.ts';
import { Desk } from '../desk.ts';
import { Ledger } from '../ledger.ts';
import { type Disk, memoryDisk, memoryRecords } from './memory-records.ts';
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
  readonly cashier: Cashier;
  readonly desk: Desk;
  /** Takes all claims one step further, some seconds later. */
  pass(): Promise<void>;
  /** The same faucet after `kill -9`: only disk and chain are left. */
  again(): TestFaucet;
}

interface Options {
  readonly chain?: ModelChain;
  readonly clock?: TestClock;
  readonly disk?: Disk;
  readonly windowMs?: number;
  readonly clientClaims?: number;
  readonly queueCap?: number;
  readonly chainId?: string;
}

export function testFaucet(options: Options = {}): TestFaucet {
  const { chain = new ModelChain(), clock = new TestClock(), disk = memoryDisk() } = options;
  const { windowMs = 0, clientClaims = 5, queueCap = 100, chainId } = options;
  const payer = chain.payer();
  const ledger = new Ledger(memoryRecords(disk), { clock, wall: clock });
  const { signal } = new AbortController();
  const cashier = new Cashier({
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
  const desk = new Desk({
    payer,
    ledger,
    cashier,
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
    cashier,
    desk,
    async pass() {
      clock.ms += 5_000;
      await cashier.pass();
    },
    again: () => testFaucet({ ...options, chain, clock, disk }),
  };
}
