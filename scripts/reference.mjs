// The parts of docs/reference that are made from code: `npm run site` appends each to its page. Prints one of them, from the
// build: node scripts/reference.mjs commands|settings|ports|manifest|framework
import { pathToFileURL } from 'node:url';
import { ENTRIES, frameworkPage } from './framework-reference.mjs';

const line = (text) => text.replaceAll('\n', ' ');
const code = (text) => `\`${line(text)}\``;
/** Markdown in which no text alongside code looks like a tag. */
const withoutTags = (text) => text.replace(/```[\s\S]*?```|`[^`\n]*`|</g, (match) => (match === '<' ? '&lt;' : match));

function table(head, rows) {
  const cells = rows.map((row) => row.map((text) => text.replaceAll('|', '\\|')));
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** One section for each command, so that a search for its name finds it. @param program A whole tree of Commander. */
function commandSections(command, path = []) {
  const help = command.createHelp();
  const name = [...path, command.name()].join(' ');
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const terms = [
    ...help.visibleArguments(command).map((it) => [help.argumentTerm(it), help.argumentDescription(it)]),
    ...help.visibleOptions(command).map((it) => [help.optionTerm(it), help.optionDescription(it)]),
    ...children.map((it) => [it.name(), it.description()]),
  ].filter(([term]) => term !== '-h, --help');
  const text = [
    `${path.length < 2 ? '##' : '###'} ${name}`,
    `${command.description()}: ${code(help.commandUsage(command))}`,
    ...(terms.length === 0 ? [] : [terms.map(([term, meaning]) => `- ${code(term)} ${line(meaning)}`).join('\n')]),
  ].join('\n\n');
  return [text, ...children.flatMap((child) => commandSections(child, [...path, command.name()]))];
}

export const commandsPage = (programs) => programs.flatMap((program) => commandSections(program)).join('\n\n');

/** @param tables Fields of each process by its name. */
export function settingsPage(tables, describeFields) {
  return Object.entries(tables)
    .map(([name, fields]) => `## ${name}\n\n${describeFields(fields)}`)
    .join('\n\n');
}

/** Every setting whose value is an address to listen on. */
export function listenersOf(tables) {
  return Object.entries(tables).flatMap(([process, fields]) =>
    Object.values(fields)
      .filter(({ parser, fallback }) => /^host:port/.test(parser.expects) && fallback?.includes(':'))
      .map(({ names, help, fallback }) => ({ process, setting: names[0], address: fallback, help })),
  );
}

export function portsPage(tables) {
  const rows = listenersOf(tables).map(({ process, setting, address, help }) => [
    code(address),
    process,
    line(help),
    code(setting),
  ]);
  return table(['default', 'process', 'answers', 'setting'], rows);
}

/** The generated parts by the names of their pages, from the build. */
export async function referencePages() {
  const from = (path) => import(new URL(`../packages/${path}`, import.meta.url).href);
  const config = async (name, path = 'config.js') => from(`${name}/dist/${path}`);
  const [cli, programs, { rollupCli }, { wholeProgram }, world, settings, stack] = await Promise.all([
    from('cli/dist/cli.js'),
    from('cli/dist/switchyard.js'),
    from('cli/dist/rollup-cli.js'),
    from('cli/dist/commands/completion.js'),
    from('cli/dist/world.js'),
    from('service/dist/settings.js'),
    from('stack/dist/index.js'),
  ]);
  const one = cli.createCli(world.processWorld());
  const names = [
    'sequencer',
    'composer',
    'conductor',
    'relayer',
    'da',
    'messenger',
    'withdrawer',
    'faucet',
    'explorer',
  ];
  const processes = await Promise.all(names.map(async (name) => [name, (await config(name)).fields]));
  const tables = Object.fromEntries([
    ...processes,
    ['evm', (await config('evm')).evmFields],
    ['evm archive', (await config('evm', 'archive/config.js')).archiveFields],
  ]);
  const whole = await wholeProgram((args) => programs.switchyard(one, args));
  const pages = {
    commands: commandsPage([whole, rollupCli(one)]),
    settings: settingsPage(tables, settings.describeFields),
    ports: `## Listeners\n\n${portsPage(tables)}`,
    manifest: `## Keys\n\n${stack.describeManifest()}`,
    framework: frameworkPage(ENTRIES),
  };
  return Object.fromEntries(Object.entries(pages).map(([name, text]) => [name, withoutTags(text)]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const pages = await referencePages();
  const page = pages[process.argv[2]];
  if (page === undefined) console.error(`expected one of ${Object.keys(pages).join(', ')}`);
  else console.log(page);
  process.exitCode = page === undefined ? 2 : 0;
}
