import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { apiRows } from './api.ts';
import { consensusRows } from './consensus.ts';
import { daRows } from './da.ts';
import { devRows } from './dev.ts';
import { diskRows } from './disk.ts';
import { evmRows } from './evm.ts';
import { attackTable } from './evm-attacks.ts';
import { explorerRows } from './explorer.ts';
import { gethRows } from './geth.ts';
import { messengerRows } from './messenger.ts';
import { median, type Row, table } from './statistics.ts';

const HELP = `usage: npm run bench -- messenger|api|explorer|dev|consensus|evm|disk|da|evm-attacks [options]

messenger: the whole stack under load. api: reads and live streams of a messenger node.
explorer: how fast it indexes, and how far it is behind a network. dev: the development tool and its terminal UI.
evm: the EVM rollup end to end, beside anvil with the same transactions and questions.
evm-attacks: programs that spend their gas on one thing, CPU seconds for each million gas, beside geth.
consensus: our sequencer and CometBFT's own kvstore under the same CometBFT, one validator and four.
disk: bytes that an idle block adds to every store.
da: firm blocks by the local data-availability layer, the relayer, reading back, and fees.
Runs the benchmarks against a network of its own and prints a table: the median, least and greatest of the runs.

  --runs N          runs of each measure (default 5)
  --seconds N       length of one throughput run (default 60, for consensus, api, explorer and da 10); not dev
  --only LIST       comma-separated: ready, restart, latency, throughput, bytes; for consensus
                    one, four (validators), block, restart; for evm transfers, tokens, latency,
                    idle, stored, waits, memory, stock; for api reads, streams;
                    for da firm, relayer, read, flood, fee;
                    for explorer messages, lag, message-pages, evm-rate, evm-pages (default all)
  --blocks N        blocks stored before the restart (default 1000, for evm 100000); consensus and evm.
                    disk: idle blocks that are measured (default 4000)
  --transactions N  of one throughput run (default 20000); evm and explorer
  --gas N           of each attack (default 30000000); evm-attacks only, where --only takes parts of names
  --long-run N      transactions while memory is watched, for explorer those in the index
                    (default 1000000); evm and explorer
  --calls N         hostile calls after them (default 10000); evm
  --messages N      stored for the reads (default 1000000); api, and message-pages of explorer
  --index DIR       where indexes whose pages are read are kept for the next run; explorer only
  --json            the same as JSON on stdout; progress goes to stderr`;

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name}: expected a whole number above 0, got ${text}`);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string' },
    blocks: { type: 'string' },
    transactions: { type: 'string', default: '20000' },
    messages: { type: 'string', default: '1000000' },
    gas: { type: 'string', default: '30000000' },
    index: { type: 'string' },
    'long-run': { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '10000' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const BENCHES: readonly (string | undefined)[] = [
  'messenger',
  'api',
  'explorer',
  'dev',
  'consensus',
  'evm',
  'evm-attacks',
  'disk',
  'da',
];
const isBench = (name: string | undefined) => BENCHES.includes(name);
const [what] = positionals;
if (values.help || positionals.length !== 1 || !isBench(what)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const DEFAULT_BLOCKS = new Map([
  ['evm', '100000'],
  ['disk', '4000'],
]);
const ALL =
  'ready,restart,latency,throughput,bytes,one,four,block,transfers,tokens,idle,stored,waits,memory,stock,reads,streams,messages,lag,message-pages,evm-rate,evm-pages,firm,relayer,read,flood,fee';

const options = {
  runs: wholeNumber('runs', values.runs),
  seconds: wholeNumber(
    'seconds',
    values.seconds ?? (['consensus', 'api', 'explorer', 'da'].includes(what ?? '') ? '10' : '60'),
  ),
  blocks: wholeNumber('blocks', values.blocks ?? DEFAULT_BLOCKS.get(what ?? '') ?? '1000'),
  transactions: wholeNumber('transactions', values.transactions),
  messages: wholeNumber('messages', values.messages),
  longRun: wholeNumber('long-run', values['long-run']),
  calls: wholeNumber('calls', values.calls),
  index: values.index,
  only: new Set((values.only ?? ALL).split(',')),
  progress: (text: string) => console.error(text),
};

if (what === 'evm-attacks') {
  const gas = BigInt(wholeNumber('gas', values.gas));
  console.log(
    await attackTable({ gas, only: values.only?.split(',') ?? [], json: values.json, progress: options.progress }),
  );
  process.exit(0);
}

async function measured(): Promise<Row[]> {
  if (what === 'dev') return devRows(options);
  if (what === 'disk') return diskRows(options);
  if (what === 'da') return daRows(options);
  if (what === 'messenger') return messengerRows(options);
  if (what === 'api') return apiRows(options);
  if (what === 'explorer') return explorerRows(options);
  if (what === 'evm') {
    const rows = await evmRows(options);
    if (rows !== undefined) return [...rows, ...(options.only.has('stock') ? await gethRows(options) : [])];
    console.error('no anvil found: node scripts/prepare.mjs --tools installs it');
    return process.exit(1);
  }
  const found = await consensusRows(options);
  if (found !== undefined) return found;
  console.error('no cometbft found: node scripts/cometbft.mjs builds it, with Go');
  return process.exit(1);
}

const rows = await measured();
const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.versions.node };
if (values.json) {
  const shown = rows.map((row) => ({ ...row, median: median(row.runs) }));
  console.log(JSON.stringify({ machine, seconds: options.seconds, rows: shown }, null, 2));
} else {
  const length = what === 'evm' ? `${options.transactions} transactions` : `${options.seconds} s`;
  const how = what !== 'dev' && what !== 'disk' ? `; throughput runs of ${length}, load generator included` : '';
  console.log(`${machine.cores} cores, ${machine.cpu}, Node ${machine.node}${how}\n`);
  console.log(table(rows));
}
