import { showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import { usage } from '@switchyard/service/failure';
import type { Cli } from '../../cli.ts';
import type { LogLine } from '../../dev/logs/read.ts';
import { getPaths, instanceLeaf } from './options.ts';

/** Enough to see what happened, few enough to read; with `--since`, all of that time. */
const USUAL_TAIL = 1_000;

export function logsCommand(cli: Cli) {
  return instanceLeaf(
    'logs',
    'show the output of services, by time; also of an instance that does not run',
    'composer conductor --follow',
    '--since 10m --tail all',
  )
    .argument('[service...]', 'only these; "switchyard" is the tool itself, with starts, ends and restarts')
    .option('-f, --follow', 'follow new output until Ctrl+C')
    .option('--since <when>', 'only from then on: 90s, 10m, 2h, 1d ago, or 2026-01-31T12:00:00Z')
    .option('-n, --tail <lines>', `only the last lines, or "all" (default ${USUAL_TAIL}, with --since all)`)
    .addHelpText('after', '\nWith --json, each line is one JSON object: time, service, text. Times are UTC.')
    .action(async (services, options) => {
      const paths = await getPaths(options, cli);
      const { parseSince, showLogs } = await import('../../dev/logs/logs.ts');
      const { createPrefixer } = await import('../../dev/run/printing.ts');
      const { stdout, env } = cli.world;
      const since = options.since === undefined ? undefined : parseSince(options.since);
      const tail = findTail(options.tail, options.since);
      const wanted = new AbortController();
      cli.world.onStop(() => wanted.abort());
      const colour = stdout.isTTY === true && (env.NO_COLOR ?? '') === '';
      let prefix: ((service: string, text: string) => string) | undefined;
      const show = (line: LogLine, shown: readonly string[]) => {
        if (cli.json) stdout.write(`${showHiddenInJson(JSON.stringify(line))}\n`);
        else {
          prefix ??= createPrefixer(shown.length > 1 ? shown : [], { colour });
          stdout.write(`${prefix(line.service, withTime(line))}\n`);
        }
      };
      await showLogs(
        paths,
        env,
        { services, since, tail, follow: options.follow === true ? wanted.signal : undefined },
        async (line, shown) => {
          show(line, shown);
          // A reader that is slow, such as a pager, must not make us hold all of it.
          while ((stdout.writableLength ?? 0) > MAX_WAITING && !wanted.signal.aborted) {
            await new Promise((resolve) => setTimeout(resolve, 10));
          }
        },
      );
    });
}

const MAX_WAITING = 1024 * 1024;

function findTail(tail: string | undefined, since: string | undefined): number | undefined {
  if (tail === 'all') return undefined;
  if (tail === undefined) return since === undefined ? USUAL_TAIL : undefined;
  if (/^\d{1,9}$/.test(tail)) return Number(tail);
  throw usage(`--tail: expected a number of lines or "all", got ${tail}`);
}

/** Prefixed with the time of day, unless the line has a timestamp. */
function withTime({ time, text }: LogLine): string {
  if (time === '' || /^(\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\{)/.test(text)) return text;
  return `${time.slice(11, 23)} ${text}`;
}
