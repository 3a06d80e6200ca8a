import { resolve } from 'node:path';
import type { ReplayReport, ReplayStep } from '@switchyard/client';
import { Failure, usage } from '@switchyard/service/failure';
import { type Cli, leaf, type OptionsOf, optionSet } from '../cli.ts';
import type { ReplayPlan } from '../replay/replay.ts';
import { stopSignal } from '../stop-signal.ts';
import { getPaths, withInstance } from './dev/options.ts';

const withReplay = optionSet((command) =>
  withInstance(command)
    .option('--block <number>', 'a block of the rollup')
    .option('--tx <hash>', 'the block that holds this transaction')
    .option('--from <number>', 'with --to: first block of a range')
    .option('--to <number>', 'last block of the range')
    .option('--rollup <name>', 'which rollup of the instance')
    .option('--network <name>', 'which network of networks-config.toml', 'local')
    .option('--code <module>', 'code of a rollup of your own: the module of its definition, such as dist/counter.js')
    .option('--with <module>', 'other code, to compare with: such a module')
    .option('--rehearse', 'then execute empty blocks up to the last one at which the definition changes')
    .option('--inspect-brk', 'wait for a debugger before the first line'),
);

type Options = OptionsOf<typeof withReplay>;

/** `switchyard replay`: blocks of a rollup, executed again. */
export function replayCommand(cli: Cli) {
  return withReplay(
    leaf(
      'replay',
      'execute blocks of a rollup again, and compare with the stored results, or with other code',
      '--block 12',
      '--tx 1f26bb46e6685a21ab2ab2ebd2ecafa7c911ed9c4a4013962cbe3efccbd019ee --inspect-brk',
      '--from 1 --to 500 --with ./dist/new.js',
    ),
  )
    .addHelpText('after', HELP)
    .action((options) => run(options, cli));
}

const HELP = `
For rollups without a virtual machine; of the EVM, debug_traceTransaction shows a transaction. The blocks' data comes from the sequencer, which
has to run and to have all blocks since the first one: nodes do not keep it. The state before a block is made from the genesis, in memory. The
database is read from a copy, so that the node may run. Ends with status 1 at the first block, transaction and action that differ.`;

async function run(options: Options, cli: Cli): Promise<void> {
  const { hashArgument } = await import('../arguments.ts');
  const range = toRange(options, hashArgument);
  const [{ instanceRollup, notOurs, replaySettings }, { iterateReports, ...differences }, builtin] = await Promise.all([
    import('../rebuild/instance-rollup.ts'),
    import('../replay/replay.ts'),
    import('../dev/services/builtin.ts'),
  ]);
  const { env, directory } = cli.world;
  const rollup = instanceRollup(await getPaths(options, cli), options.network, env, options.rollup, { withEvm: false });
  const { name } = rollup;
  const findPlan = (module: string | undefined): ReplayPlan | undefined => {
    const inspects = options.inspectBrk === true && module === (options.with ?? options.code);
    const settings = {
      ...replaySettings(rollup),
      ...range,
      REPLAY_NO_METRICS: 'true',
      ...(options.rehearse === true && { REPLAY_REHEARSE: 'true' }),
    };
    if (module !== undefined)
      return { name, inspects, ...builtin.moduleProgram('replay', resolve(directory, module), settings) };
    if (rollup.kind === 'defined') return undefined;
    return { name, entry: builtin.MESSENGER_REPLAY_ENTRY, settings, inspects };
  };
  const old = findPlan(options.code);
  const other = options.with === undefined ? undefined : findPlan(options.with);
  const first = old ?? other;
  if (first === undefined) throw notOurs(rollup.name);
  const deps = { env, signal: stopSignal(cli, 'stopped'), note: cli.note };
  const compared = old === undefined || other === undefined ? undefined : iterateReports(other, deps);
  const reports: ReplayReport[] = [];
  let count = 0;
  try {
    for await (const report of iterateReports(first, deps)) {
      count += 1;
      const again = (await compared?.next())?.value;
      const difference =
        differences.differenceFromStored(report) ?? (again && differences.findDifference(report, again));
      const shows = other === undefined || difference !== undefined || report.stored === undefined;
      if (cli.json) reports.push(report);
      else if (shows) cli.print(undefined, formatLines(again ?? report));
      if (difference === undefined) continue;
      if (cli.json) cli.print({ rollup: rollup.name, blocks: reports, difference }, []);
      throw new Failure(difference);
    }
  } finally {
    await compared?.return(undefined);
  }
  const what = other === undefined ? 'as stored' : 'the same with both codes';
  cli.print({ rollup: rollup.name, blocks: reports }, `${count} ${count === 1 ? 'block' : 'blocks'}: ${what}`);
}

function toRange({ block, tx, from, to }: Options, findHash: (what: string, text: string) => string) {
  const kinds = [block, tx, from ?? to].filter((each) => each !== undefined);
  if (kinds.length !== 1) throw usage('expected one of --block, --tx, and --from with --to');
  if (tx !== undefined) return { REPLAY_TRANSACTION: findHash('--tx', tx) };
  const numbers = { '--block': block, '--from': from, '--to': to };
  for (const [name, text] of Object.entries(numbers)) {
    if (text !== undefined && !/^[1-9]\d{0,17}$/.test(text))
      throw usage(`${name}: expected a block from 1 on, got ${text.slice(0, 80)}`);
  }
  const [first, last] = [block ?? from, block ?? to];
  if (first !== undefined && last !== undefined && BigInt(first) > BigInt(last))
    throw usage(`--to: expected at least ${first}, got ${last}`);
  return { REPLAY_FROM: first ?? '1', ...(last === undefined ? {} : { REPLAY_TO: last }) };
}

function formatLines({
  number,
  sequencerHeight,
  hash,
  stateRoot,
  deposits,
  transactions,
  stored,
  inputs,
}: ReplayReport): string[] {
  const beside = (got: string, kept: string | undefined) =>
    kept === undefined ? `${got} (not stored)` : got === kept ? `${got} (as stored)` : `${got} (stored: ${kept})`;
  const origin = { same: 'as stored', other: 'not what it was made from', unknown: 'not stored' }[inputs ?? 'unknown'];
  return [
    `Block ${number}, sequencer height ${sequencerHeight}`,
    `  Hash: ${beside(hash, stored?.hash)}`,
    `  State root: ${beside(stateRoot, stored?.stateRoot)}`,
    `  Data of the sequencer: ${origin}`,
    ...deposits.flatMap((deposit, index) => stepLines(`  Deposit ${index}`, deposit)),
    ...transactions.flatMap(({ hash: transaction, code, refused, actions }, index) => [
      `  Transaction ${index} ${transaction}: ${code === '0' ? 'executed' : `refused (code ${code}): ${refused ?? ''}`}`,
      ...actions.flatMap((action, at) => stepLines(`    Action ${at} ${action.kind}`, action)),
    ]),
  ];
}

function stepLines(title: string, { events, writes, refused }: ReplayStep): string[] {
  const what = refused === undefined ? `${writes.length} writes` : `refused: ${refused}`;
  return [`${title}: ${what}`, ...events.map((event) => `      Event ${event}`)];
}
