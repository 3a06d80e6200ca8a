import { existsSync } from 'node:fs';
import { usage } from '@switchyard/service/failure';
import { type Cli, leaf } from '../cli.ts';
import { count } from '../print.ts';
import { findPortOffset } from './dev/init.ts';
import { getPaths } from './dev/options.ts';
import { checkOptions, type RunOptions, run, withRun } from './dev/run.ts';

/** `switchyard up`: from nothing to a network and its start page. */
export function upCommand(cli: Cli, description: string) {
  return withRun(leaf('up', description, '', '--template evm --instance evm', '--detach --no-open'))
    .option('--template <name>', 'rollups of a new instance, as `dev init` has it (default: messenger)')
    .option('--port-offset <n>', 'added to every port of a new instance (SWITCHYARD_PORT_OFFSET; default: 0)')
    .option('--no-open', 'open no browser; without a terminal or a display, none is opened anyway')
    .addHelpText(
      'after',
      '\nIt is `switchyard dev init` for an instance that is not there, then `switchyard dev run`.\nWhere the instance runs already, its start page is opened.',
    )
    .action(async ({ template, portOffset, open, ...options }) => {
      const { initInstance } = await import('../dev/init/init.ts');
      const { currentRun } = await import('../dev/instance/run-file.ts');
      const { openPage } = await import('../dev/run/open-page.ts');
      const paths = await getPaths(options, cli);
      const show = (page: string | undefined) => {
        if (page !== undefined && open && options.headless !== true && !cli.json) openPage(page, cli.world);
      };
      if (currentRun(paths) !== undefined) {
        const { connectControl } = await import('../dev/control/client.ts');
        const control = await connectControl(paths);
        const page = (await control?.status().catch(() => undefined))?.overview.startPage;
        const place = page === undefined ? 'and has no start page' : `and its start page is ${page}`;
        cli.print({ instance: paths.name, running: true, startPage: page }, `instance ${paths.name} runs, ${place}`);
        return show(page);
      }
      await checkOptions(options);
      if (!existsSync(paths.networks)) {
        requireNew(options);
        const { written } = initInstance(paths, { template, portOffset: findPortOffset(portOffset, cli) });
        cli.note(`made instance ${paths.name} in ${paths.directory}: ${count(written.length, 'file')}`);
      } else {
        const there = `instance ${paths.name} is there`;
        if (template !== undefined)
          cli.note(`--template has no effect: ${there}; \`switchyard dev init\` adds rollups to it`);
        if (portOffset !== undefined) cli.note(`--port-offset has no effect: ${there}, and keeps its ports`);
      }
      await run(options, paths, cli, ({ startPage }) => show(startPage));
    });
}

/** @throws {Failure} when a new instance has no such network. */
function requireNew({ network = 'local', engine }: RunOptions): void {
  if (network !== 'local' && engine !== 'cometbft')
    throw usage(`--network ${network}: there is no instance, and a new one has the network local: leave it out`);
}
