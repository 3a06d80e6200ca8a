import { createSigner, isDevelopmentKey, parseSeed, Rejected, type Signer } from '@switchyard/protocol';
import { showHidden, showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import {
  describeFields,
  didYouMean,
  EXIT,
  errorLine,
  InvalidConfig,
  processWorld,
  readKey,
  runProcess,
  silentLogger,
  toJson,
  type World,
} from '@switchyard/service';
import { isLoopbackHost } from '@switchyard/service/input';
import { rollupFields } from '../app/config.ts';
import type { Fields } from '../schema/shapes.ts';
import { getOptions, getParameters, getValues, Misused, type Option, readArguments } from './arguments.ts';
import { clientOf } from './client.ts';
import type { QueryCall } from './contract.ts';
import type { AnyRollup } from './definition.ts';
import type { DefinitionDocument } from './document.ts';
import { type ProcessOptions, rollupProcess } from './process.ts';

/**
 * The program of a rollup: a node without arguments, and otherwise commands for its actions and queries.
 *
 * `submit ACTION --field VALUE`, `query QUERY --parameter VALUE`, `definition`, `--help`, `--version`.
 * @example
 * ```ts
 * await rollupProgram(counter);
 * ```
 */
export async function rollupProgram(
  defined: AnyRollup,
  { world = processWorld(), ...options }: ProcessOptions & { readonly world?: World } = {},
): Promise<void> {
  const [verb, ...args] = world.args;
  if (verb === undefined || verb === '--version') return runProcess(rollupProcess(defined, options), world);
  const commands: Readonly<Record<string, (given: Given) => Promise<string>>> = {
    submit,
    query,
    definition: async () => toJson({ ...defined.document, fingerprint: defined.fingerprint, typeUrl: defined.typeUrl }),
    '--help': async () => help(defined),
    '-h': async () => help(defined),
  };
  try {
    const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
    if (command === undefined)
      throw new Misused(
        `unknown command ${JSON.stringify(verb.slice(0, 64))}${didYouMean(verb, Object.keys(commands))}; see --help`,
      );
    print(world, await command({ defined, args, env: world.env }));
    world.exit(EXIT.ok);
  } catch (error) {
    // The queried node may be anybody's, and its words end in a terminal.
    world.stderr(`${defined.name}: ${showHidden(errorLine(error))}\n`);
    world.exit(error instanceof Misused || error instanceof InvalidConfig ? EXIT.usage : EXIT.failed);
  }
}

interface Given {
  readonly defined: AnyRollup;
  readonly args: readonly string[];
  readonly env: World['env'];
}

const URL_OPTION: Option = {
  name: 'url',
  value: 'a URL',
  help: 'the node; otherwise ROLLUP_URL, or http://127.0.0.1:3030',
};
const HELP_OPTION: Option = { name: 'help', value: '', help: 'show this' };
const QUERY_OPTIONS: readonly Option[] = [URL_OPTION, HELP_OPTION];
const SUBMIT_OPTIONS: readonly Option[] = [
  URL_OPTION,
  {
    name: 'private-key-file',
    value: 'a file',
    help: 'the key that signs; otherwise ROLLUP_PRIVATE_KEY has its 64 hex digits',
  },
  { name: 'passphrase-file', value: 'a file', help: 'passphrase of an encrypted key file' },
  { name: 'allow-dev-key', value: '', help: 'sign with a published key for a node that is not local' },
  { name: 'no-wait', value: '', help: 'do not wait for the execution' },
  HELP_OPTION,
];

async function submit({ defined, args, env }: Given): Promise<string> {
  const actions: ReadonlyMap<string, Fields> = defined.fields;
  if (isHelp(args[0])) return `${defined.name} submit ACTION\n\n${actionLines(defined)}`;
  const [action, fields] = known('action', args[0], actions);
  const wanted = askedBy(`${defined.name} submit ${action}`, args, getParameters(fields), SUBMIT_OPTIONS);
  if ('help' in wanted) return wanted.help;
  const { options, values } = wanted;
  const url = getUrl(options.get('url'), env);
  const signer = getSigner(options, env, url);
  const client = clientOf(defined, { url });
  const outcome = await client.send(
    [{ ...values, kind: action }],
    signer,
    options.has('no-wait') ? { until: 'accepted' } : {},
  );
  const { hash, state, block } = outcome;
  return block === undefined ? `${state}: transaction ${hash}` : `${state} in block ${block}: transaction ${hash}`;
}

async function query({ defined, args, env }: Given): Promise<string> {
  const calls: ReadonlyMap<string, QueryCall> = defined.calls;
  if (isHelp(args[0])) return `${defined.name} query QUERY\n\n${queryLines(defined)}`;
  const [name, { parameters, answer }] = known('query', args[0], calls);
  const wanted = askedBy(`${defined.name} query ${name}`, args, parameters, QUERY_OPTIONS);
  if ('help' in wanted) return wanted.help;
  const client = clientOf(defined, { url: getUrl(wanted.options.get('url'), env) });
  return showHiddenInJson(toJson(answer.toJson((await client.query[name]?.(wanted.values)) as never)));
}

/** Options and values behind the name of an action or a query, or the help of its command. @throws {Misused} */
function askedBy(
  command: string,
  [, ...args]: readonly string[],
  parameters: Parameters<typeof getOptions>[0],
  common: readonly Option[],
) {
  const own = getOptions(parameters, common);
  const { words, options } = readArguments(args, [...own, ...common]);
  const [word] = words;
  if (word !== undefined)
    throw new Misused(`unexpected argument ${JSON.stringify(word.slice(0, 64))}; values have options, see --help`);
  if (options.has('help')) return { help: commandHelp(command, own, common) };
  return { options, values: getValues(parameters, own, options) };
}

function known<T>(what: string, name: string | undefined, all: ReadonlyMap<string, T>): readonly [string, T] {
  const found = name === undefined ? undefined : all.get(name);
  if (name !== undefined && found !== undefined) return [name, found];
  const names = [...all.keys()];
  const got = name === undefined ? 'nothing' : JSON.stringify(name.slice(0, 64));
  throw new Misused(`expected one of ${names.join(', ')} as ${what}, got ${got}${didYouMean(name ?? '', names)}`);
}

const isHelp = (word: string | undefined) => word === '--help' || word === '-h';

function getUrl(given: string | undefined, env: World['env']): string {
  const text = given ?? (env.ROLLUP_URL || 'http://127.0.0.1:3030');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
  throw new Misused(`--url: expected a URL such as http://127.0.0.1:3030, got ${JSON.stringify(text.slice(0, 100))}`);
}

function getSigner(options: ReadonlyMap<string, string>, env: World['env'], url: string): Signer {
  const seed = getSeed(options, env);
  const { hostname } = new URL(url);
  if (isDevelopmentKey(seed) && !options.has('allow-dev-key') && !isLoopbackHost(hostname))
    throw new Misused(
      `the key is a published one, and ${url} is not local: use a key of your own, or give --allow-dev-key`,
    );
  return createSigner(seed);
}

function getSeed(options: ReadonlyMap<string, string>, env: World['env']): Uint8Array {
  const path = options.get('private-key-file');
  if (path !== undefined) {
    const names = { setting: '--private-key-file', passphraseSetting: '--passphrase-file' };
    return readKey({
      path,
      ...names,
      passphraseFile: options.get('passphrase-file'),
      kind: 'ed25519',
      log: silentLogger,
    });
  }
  const text = env.ROLLUP_PRIVATE_KEY ?? '';
  if (text === '')
    throw new Misused('expected a key that signs, got none: give --private-key-file, or set ROLLUP_PRIVATE_KEY');
  try {
    return parseSeed(text);
  } catch (error) {
    // The text of a key is never repeated.
    throw error instanceof Rejected ? new Misused(`ROLLUP_PRIVATE_KEY: ${error.message}`) : error;
  }
}

function help(defined: AnyRollup): string {
  const { name, document } = defined;
  return [
    `${name}${document.help === '' ? '' : `: ${document.help}`}`,
    '',
    `${name}                                    run a node, with settings of the environment`,
    `${name} submit ACTION [--FIELD VALUE ...]  sign, send, and wait for the execution`,
    `${name} query QUERY [--PARAMETER VALUE ...]  ask a node`,
    `${name} definition                         print the schemas as JSON`,
    '',
    actionLines(defined),
    '',
    queryLines(defined),
    '',
    'settings of a node:',
    describeFields(rollupFields),
  ].join('\n');
}

function actionLines({ document, fields }: AnyRollup): string {
  const { actions }: DefinitionDocument = document;
  return ['actions:', ...actions.map(({ name, help: text }) => line(name, fields.get(name) ?? {}, text))].join('\n');
}

function queryLines({ calls }: AnyRollup): string {
  const all: readonly QueryCall[] = [...calls.values()];
  return ['queries:', ...all.map(({ name, parameters, help: text }) => line(name, parameters, text))].join('\n');
}

function line(name: string, members: object, text: unknown): string {
  const names = Object.keys(members).map((member) => ` --${snake(member)}`);
  return `  ${name}${names.join('')}${typeof text === 'string' && text !== '' ? `   ${text}` : ''}`;
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function commandHelp(command: string, own: readonly Option[], common: readonly Option[]): string {
  const lines = [...own, ...common].map(({ name, value, help: text }) => {
    const left = `  --${name}${value === '' ? '' : ` (${value})`}`;
    return `${left.padEnd(44)}${text}`.trimEnd();
  });
  return [command, '', ...lines].join('\n');
}

function print(world: World, text: string): void {
  const write = world.stdout ?? ((given: string) => void process.stdout.write(given));
  write(`${text}\n`);
}
