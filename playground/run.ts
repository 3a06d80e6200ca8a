import { definitionIn } from '@switchyard/rollup/internal';
import type { Begin, Command, Report } from './messages.ts';
import { PageNetwork, prepare } from './page-network.ts';

const BLOCK_MS = 1_000;
const EXAMPLES = '../examples';
const genesisFiles = import.meta.glob<string>('../examples/*/genesis.json', { query: '?raw', import: 'default' });
const definitions = import.meta.glob<object>('../examples/{counter,token,orderbook}/src/{counter,token,orderbook}.ts');
const versions = import.meta.glob<string>('./package.json', { eager: true, import: 'version' });

/** Runs a network, a block after each interval. @returns what commands are given to. */
export async function run(
  { example, sources, seed }: Begin,
  report: (sent: Report) => void,
  failed: (error: unknown) => void,
) {
  prepare(String(Object.values(versions)), import.meta.url);
  const module =
    sources === undefined
      ? await definitions[`${EXAMPLES}/${example}/src/${example}.ts`]?.()
      : (await import('./evaluate.ts')).evaluate(sources, `${example}.ts`);
  const genesis = await genesisFiles[`${EXAMPLES}/${example}/genesis.json`]?.();
  const network = await PageNetwork.begin(definitionIn(module ?? {}), genesis ?? '', seed);
  report({ kind: 'ready', actions: network.actions, parts: network.network.parts });
  const show = async () => report({ kind: 'shown', shown: await network.show() });
  const next = () => network.mine().then(show).catch(failed).finally(wait);
  const wait = () => setTimeout(next, BLOCK_MS);
  await show().finally(wait);
  return (command: Command) => network.run(command).then(show);
}
