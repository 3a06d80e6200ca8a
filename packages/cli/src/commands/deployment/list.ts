import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { columns } from '../../print.ts';
import { openTarget, withNamespace } from './options.ts';

/** `switchyard rollup deployment list` */
export function listCommand(cli: Cli, connect: Connections) {
  return withNamespace(leaf('list', 'list the rollups that were deployed from here or elsewhere', '')).action(
    async (options) => {
      const listed = await (await openTarget(options, cli, connect)).list();
      const rows = listed.map(({ name, where, state, head }) => [
        name,
        where,
        state,
        head === undefined ? '-' : `${head}`,
      ]);
      cli.print(listed, rows.length === 0 ? 'no rollups' : columns([['NAME', 'WHERE', 'STATE', 'HEAD'], ...rows]));
    },
  );
}
