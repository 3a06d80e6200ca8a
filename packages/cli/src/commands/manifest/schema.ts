import { manifestSchema } from '@switchyard/stack';
import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import { jsonText } from '../../print.ts';

/** `switchyard rollup config schema` */
export function schemaCommand(cli: Cli): Command {
  return leaf('schema', 'print the JSON Schema of manifests, for editors', '').action(() => {
    cli.print(manifestSchema(), jsonText(manifestSchema()));
  });
}
