import { existsSync } from 'node:fs';
import { type Cli, leaf } from '../cli.ts';
import { count } from '../print.ts';
import { findPortOffset } from './dev/init.ts';
import { getPaths } from './dev/options.ts';
import { run, withRun } from './dev/run.ts';

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
      const [{ initInstance }, { currentRun }, { openPage }] = await Promise.all([
        import('../dev/init/init.ts'),
        import('../dev/instance/run-file.ts'),
        import('../dev/run/open-page.ts'),
      ]);
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
      if (!existsSync(paths.networks)) {
        const { written } = initInstance(paths, { template, portOffset: findPortOffset(portOffset, cli) });
        cli.note(`made instance ${paths.name} in ${paths.directory}: ${count(written.length, 'file')}`);
      } else if (template !== undefined || portOffset !== undefined) {
        const flag = template === undefined ? '--port-offset' : '--template';
        cli.note(`${flag} has no effect: instance ${paths.name} is there; \`switchyard dev init\` adds rollups to it`);
      }
      await run(options, paths, cli, ({ startPage }) => show(startPage));
    });
}
