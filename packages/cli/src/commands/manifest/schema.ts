import { manifestSchema } from '@switchyard/stack';
import { type Cli, leaf } from '../../cli.ts';
import { jsonText } from '../../print.ts';

/** `switchyard rollup config schema` */
export function schemaCommand(cli: Cli) {
  return leaf('schema', 'print the JSON Schema of manifests, for editors', '').action(() => {
    cli.print(manifestSchema(), jsonText(manifestSchema()));
  });
}
