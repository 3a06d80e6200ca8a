import { setMaxListeners } from 'node:events';
import { sequencerClient } from '@switchyard/client';
import { seededRandom } from '@switchyard/service/testing';
import { HttpClient } from '../../support/http-client.ts';
import { ClientLog } from '../record.ts';
import { depositSender } from './deposits.ts';
import { evmSenders } from './evm.ts';
import { type LaneOptions, runLane } from './lane.ts';
import { messengerSenders } from './messenger.ts';

/**
 * The load, in a process of its own: no fault is injected into it. Its only argument is a `LoadJob` as JSON. Prints `ready`
 * when the accounts have their money, and now and then a line while transactions are acknowledged; begins at the first line
 * on its input; sends nothing new after the second; and ends when everything is answered for good or the time for that is over.
 */
export interface LoadJob {
  readonly rollup: 'messenger' | 'evm';
  readonly seed: string;
  readonly rate: number;
  readonly rollupUrl: string;
  readonly rpcUrl: string;
  readonly chainId: string;
  readonly bridge: string;
  readonly logPath: string;
  /** For answers, once nothing new is sent. */
  readonly settleMs: number;
}

const LANES = 60;
const DEPOSIT_PERIOD_MS = 1_000;
const CUT_SHARE = 0.01;
const REPORT_MS = 200;

// Written by the chaos run itself.
const job = JSON.parse(process.argv[2] ?? '') as LoadJob;
let reportedAt = Number.NEGATIVE_INFINITY;
const log = new ClientLog(job.logPath, (entry) => {
  if (entry.kind !== 'answer' || entry.outcome !== 'acknowledged' || performance.now() - reportedAt < REPORT_MS) return;
  reportedAt = performance.now();
  console.log('acknowledged');
});
const random = seededRandom(`load/${job.seed}`);
const http = new HttpClient(job.rollupUrl);

const create = job.rollup === 'messenger' ? messengerSenders : evmSenders;
const senders = await create({ http, seed: job.seed, lanes: LANES, log, random });
const client = sequencerClient({ rpcUrl: job.rpcUrl, timeoutMs: 10_000 });
const deposits = depositSender({
  client,
  chainId: job.chainId,
  bridge: job.bridge,
  recipients: senders.map(({ from }) => from),
  random,
});
const { nonce: depositNonce } = await client.nonce(deposits.from);

const lines = inputLines();
console.log('ready');
await lines.next();
const stopped = new AbortController();
const abandoned = new AbortController();
// Every lane waits for both.
setMaxListeners(0, stopped.signal, abandoned.signal);
const common: Omit<LaneOptions, 'periodMs'> = {
  log,
  random,
  cutShare: CUT_SHARE,
  stopped: stopped.signal,
  abandoned: abandoned.signal,
};
const running = Promise.all([
  ...senders.map((sender) => runLane(sender, 0, { ...common, periodMs: (LANES / job.rate) * 1_000 })),
  runLane(deposits, depositNonce, { ...common, periodMs: DEPOSIT_PERIOD_MS }),
]);
await lines.next();
stopped.abort();
const late = setTimeout(() => abandoned.abort(), job.settleMs);
await running;
clearTimeout(late);
http.close();
client.close();
log.close();
process.stdin.destroy();

async function* inputLines(): AsyncGenerator<void> {
  let waiting = '';
  for await (const chunk of process.stdin) {
    waiting += String(chunk);
    for (let at = waiting.indexOf('\n'); at >= 0; at = waiting.indexOf('\n')) {
      waiting = waiting.slice(at + 1);
      yield;
    }
  }
}
