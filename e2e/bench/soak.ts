import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { columns } from '../support/columns.ts';
import { devAddress, devKey } from '../support/evm.ts';
import type { Network } from '../support/network.ts';
import { usage } from '../support/usage.ts';
import { bytesByStore } from './disk.ts';
import { signed } from './evm-load.ts';
import { withEndpoint } from './evm-pair.ts';
import { pause, sustain } from './load.ts';
import { INSTANCE, withNetwork } from './network.ts';

const HELP = `usage: npm run soak -- [options]

Runs a network with both rollups under a steady load, samples memory, handles and disk of every process, and prints
what they were after a fifth of the time and at the end.

  --minutes N     how long (default 30)
  --texts N       texts a second to the messenger (default 50)
  --transfers N   transfers a second to the EVM rollup (default 5)
  --quick         blocks of 100 ms and little retention, so that blocks are deleted all the time
  --json          the samples as JSON on stdout`;

const SAMPLE_MS = 5_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    texts: { type: 'string', default: '50' },
    transfers: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

type Used = ReturnType<typeof usage> & { readonly handles: number };

interface Sample {
  readonly seconds: number;
  readonly processes: ReadonlyMap<string, Used>;
  readonly disk: ReadonlyMap<string, number>;
}

interface Service {
  readonly name: string;
  readonly pid?: number;
}

async function getPids(network: Network): Promise<ReadonlyMap<string, number>> {
  const { stdout } = await network.switchyard('dev', 'status', '--instance', INSTANCE, '--json');
  // Our own tool wrote it.
  const { services } = JSON.parse(stdout) as { services: readonly Service[] };
  return new Map(services.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]])));
}

/** Restarts would look like memory that was given back, so a process that changed its id is an error. */
function makeSample(network: Network, pids: ReadonlyMap<string, number>, seconds: number): Sample {
  const processes = new Map(
    Array.from(pids, ([name, pid]) => [name, { ...usage(pid), handles: readdirSync(`/proc/${pid}/fd`).length }]),
  );
  return { seconds, processes, disk: bytesByStore(join(network.home, INSTANCE)) };
}

/** Transfers of one account, one after another, at the requested rate. */
function transfer(url: string, perSecond: number, signal: AbortSignal): Promise<number> {
  return withEndpoint(url, async (node) => {
    let sent = 0;
    const start = performance.now();
    while (!signal.aborted && perSecond > 0) {
      const fields = { nonce: BigInt(sent), gasLimit: 21_000n, to: devAddress(1), value: 1n };
      await node.rpc('eth_sendRawTransaction', signed(devKey(0), fields));
      sent += 1;
      const wait = (sent / perSecond) * 1_000 - (performance.now() - start);
      if (wait > 0) await pause(wait);
    }
    return sent;
  });
}

/** Settings with which blocks are deleted all the time. */
const QUICK = {
  svc_sequencer_block_interval_ms: '100',
  svc_sequencer_empty_block_interval_ms: '100',
  svc_sequencer_quiet_block_interval_ms: '100',
  svc_sequencer_retain_blocks: '600',
  svc_sequencer_retain_megabytes: '16',
  retain_blocks: '600',
  svc_evm_retain_blocks: '600',
};

async function soak(seconds: number): Promise<Sample[]> {
  const template = 'messenger,evm';
  return withNetwork({ template, settings: values.quick ? QUICK : {} }, async (network) => {
    const stop = new AbortController();
    const samples: Sample[] = [];
    const pids = await getPids(network);
    const start = performance.now();
    const sample = () => {
      const taken = makeSample(network, pids, (performance.now() - start) / 1_000);
      samples.push(taken);
      const total = [...taken.disk.values()].reduce((sum, bytes) => sum + bytes, 0);
      console.error(`soak: ${taken.seconds.toFixed(0)} s, ${(total / 1e6).toFixed(1)} MB on disk`);
    };
    const timer = setInterval(sample, SAMPLE_MS);
    try {
      const transfers = transfer(network.url('evm'), Number(values.transfers), stop.signal);
      const texts = sustain(network, { seconds, textsPerSecond: Number(values.texts) }).finally(() => stop.abort());
      const [{ texts: executed }, sent] = await Promise.all([texts, transfers]);
      console.error(`soak: ${executed} texts, ${sent} transfers`);
    } finally {
      stop.abort();
      clearInterval(timer);
    }
    sample();
    return samples;
  });
}

/** After a fifth of the time caches are filled; from there on nothing should grow except users' data. */
function printTable(samples: readonly Sample[]): void {
  const [settled, last] = [samples[Math.floor(samples.length / 5)], samples.at(-1)];
  if (settled === undefined || last === undefined) throw new Error('no samples');
  const rows: string[][] = [
    ['process', 'MiB then', 'MiB now', 'most', 'private then', 'private now', 'handles then', 'now', 'most'],
  ];
  for (const [name, then] of settled.processes) {
    const all = samples.flatMap(({ processes }) => processes.get(name) ?? []);
    const now = last.processes.get(name);
    if (now === undefined) continue;
    const most = (item: (each: typeof then) => number) => Math.max(...all.map(item)).toFixed(0);
    rows.push([
      name,
      ...[then.residentMiB, now.residentMiB].map((value) => value.toFixed(0)),
      most((each) => each.residentMiB),
      ...[then.privateMiB, now.privateMiB].map((value) => value.toFixed(0)),
      ...[String(then.handles), String(now.handles), most((each) => each.handles)],
    ]);
  }
  console.log(columns(rows));
  const disk: string[][] = [['store', 'MB then', 'MB now']];
  for (const [name, bytes] of last.disk) {
    disk.push([name, ...[settled.disk.get(name) ?? 0, bytes].map((each) => (each / 1e6).toFixed(2))]);
  }
  console.log(`\nthen: after ${settled.seconds.toFixed(0)} s; now: after ${last.seconds.toFixed(0)} s\n`);
  console.log(columns(disk));
}

if (values.help) {
  console.log(HELP);
} else {
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) {
    console.error(`--minutes: expected a number above 0, got ${values.minutes}`);
    process.exit(2);
  }
  const samples = await soak(minutes * 60);
  if (values.json) {
    const plain = samples.map(({ seconds, processes, disk }) => ({
      seconds,
      processes: Object.fromEntries(processes),
      disk: Object.fromEntries(disk),
    }));
    console.log(JSON.stringify(plain));
  } else printTable(samples);
}
