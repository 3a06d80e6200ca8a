import { randomBytes } from 'node:crypto';
import { runFullDisk } from './full-disk.ts';
import { type ChaosOptions, HELP, makeCommand, parseOptions } from './options.ts';
import { reportText, summaryLine } from './report.ts';
import { runChaos } from './run.ts';

function optionsOrExit(): ChaosOptions {
  try {
    const options = parseOptions(process.argv.slice(2), () => randomBytes(4).toString('hex'));
    if (options !== undefined) return options;
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

const options = optionsOrExit();
const progress = (text: string): void => console.error(text);
if (options.fullDisk > 0) {
  const { fullDisk: rounds, seed } = options;
  const found = await runFullDisk({ rounds, seed }, progress);
  if (typeof found === 'string') console.log(`chaos: the full disk is left out: ${found}`);
  else
    for (const line of [...found, `chaos: full disk, seed ${seed}, ${rounds} rounds, ${found.length} violations`])
      console.log(line);
  process.exit(typeof found === 'string' || found.length === 0 ? 0 : 1);
}
progress(makeCommand(options));
try {
  const report = await runChaos(options, progress);
  if (options.json) console.log(JSON.stringify({ options, ...report, summary: summaryLine(options, report) }, null, 2));
  else console.log(`\n${reportText(options, report)}`);
  process.exit(report.violations.length === 0 ? 0 : 1);
} catch (error) {
  if (error instanceof RangeError && error.message.startsWith('--')) {
    console.error(error.message);
    process.exit(2);
  }
  console.error(error instanceof Error ? error.stack : String(error));
  console.log(`chaos: seed ${options.seed} could not be run to its end; repeat it with: ${makeCommand(options)}`);
  process.exit(1);
}
