import { arch, platform } from 'node:os';
import { type Cli, leaf } from '../cli.ts';
import { VERSION } from '../version.ts';

/** `switchyard version`: what to put into a report of a problem. */
export function versionCommand(cli: Cli) {
  return leaf('version', 'show the version of Switchyard, Node and the system', '', '--json').action(() => {
    const facts = { version: VERSION, node: process.versions.node, platform: platform(), arch: arch() };
    cli.print(facts, `switchyard ${facts.version}, node ${facts.node}, ${facts.platform} ${facts.arch}`);
  });
}
