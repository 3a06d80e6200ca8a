import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';

export const TEMPLATES = ['counter', 'token', 'orderbook', 'market', 'evm'] as const;

export interface NewProject {
  /** Name of the package and of the rollup. */
  readonly name: string;
  /** `counter`, if absent. */
  readonly template?: string | undefined;
  /** Directory of the project, which is missing or empty. By default, one of its name in the working directory. */
  readonly directory?: string | undefined;
  /** Whether npm installs its packages. */
  readonly install: boolean;
  /** Takes lines about the progress. */
  readonly note: (line: string) => void;
}

/** Made, with commands that come next. */
export interface MadeProject {
  readonly name: string;
  readonly template: string;
  readonly directory: string;
  readonly next: readonly string[];
}

/** A project cannot be made, for a reason that the user can act on. Nothing was left behind. */
export class ProjectNotCreated extends Error {
  override readonly name = 'NotMade';
}

/** The repository, or a package that has the templates at the same place. */
const ROOT = join(import.meta.dirname, '..', '..', '..');
const isRepository = () => existsSync(join(ROOT, 'package-lock.json'));
/** Names that are parts of every local network. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['sequencer', 'composer', 'conductor', 'relayer', 'da', 'faucet', 'explorer', 'withdrawer'],
]);
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const BUILT = /\/(node_modules|dist|package-lock\.json|\.switchyard|\.running-\d+)$/;
/** Errors of npm if a registry is not reachable. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;

/**
 * Copies a template, with the name in place of its own, and installs its packages.
 *
 * @throws {NotMade} in one line.
 */
export async function newProject(wanted: NewProject, workingDirectory: string): Promise<MadeProject> {
  const { name, template = 'counter', install, note } = wanted;
  checkName(name);
  const source = TEMPLATES.find((each) => each === template);
  if (source === undefined)
    throw new ProjectNotCreated(
      `template: expected ${TEMPLATES.join(', ')}, got ${JSON.stringify(template.slice(0, 64))}`,
    );
  const shown = wanted.directory ?? name;
  const directory = resolve(workingDirectory, shown);
  const isThere = existsSync(directory);
  if (isThere && entriesOf(directory, shown).length > 0)
    throw new ProjectNotCreated(`${shown}: expected an empty directory, or none: choose another name or directory`);
  try {
    if (!isThere) mkdirSync(directory, { recursive: true });
    try {
      copyTemplate(source, name, directory);
      if (isRepository()) linkPackages(join(directory, 'package.json'));
      if (install) await installPackages(directory, note);
    } catch (error) {
      for (const entry of readdirSync(directory)) rmSync(join(directory, entry), { recursive: true, force: true });
      if (!isThere) rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    throw isSystemError(error) ? new ProjectNotCreated(`${shown}: ${error.message}`, { cause: error }) : error;
  }
  const next = [`cd ${shown}`, ...(install ? [] : ['npm install']), 'npm start', 'npm test'];
  return { name, template: source, directory, next };
}

function checkName(name: string): void {
  const shown = JSON.stringify(name.slice(0, 64));
  if (!NAME.test(name))
    throw new ProjectNotCreated(
      `name: expected at most 32 lower-case letters, digits and hyphens, a letter first, got ${shown}`,
    );
  if (RESERVED.has(name) || /-(conductor|faucet|withdrawer)$/.test(name))
    throw new ProjectNotCreated(`name: ${shown} is a part of every network: choose another name`);
  if (isBuiltin(name)) throw new ProjectNotCreated(`name: ${shown} is a module of Node: choose another name`);
}

function entriesOf(directory: string, shown: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    throw new ProjectNotCreated(`${shown}: expected an empty directory, or none`, { cause });
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;

/** The name of a template stands in quotes wherever it is the name of the rollup or of the package, and below `bin` as that of its program. */
function copyTemplate(template: string, name: string, directory: string): void {
  cpSync(join(ROOT, 'examples', template), directory, { recursive: true, filter: (path) => !BUILT.test(path) });
  // npm leaves a file of this name out of packages.
  renameSync(join(directory, 'gitignore'), join(directory, '.gitignore'));
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'utf8');
    const named = text.replaceAll(
      new RegExp(`(?<=['"\`])${template}(?=['"\`])|(?<=^# )${template}$|(?<=bin/)${template}(?=\\.mjs)`, 'gm'),
      name,
    );
    if (named !== text) writeFileSync(file, named);
    if (entry.parentPath === join(directory, 'bin')) renameSync(file, join(entry.parentPath, `${name}.mjs`));
  }
}

/** Takes all packages from the repository, with the command line among them: packages of these names in npm's registry are not ours. */
function linkPackages(file: string): void {
  const linked = (name: string) => `file:${realpathSync(join(ROOT, 'node_modules', name))}`;
  const all = (versions: object) => Object.fromEntries(Object.keys(versions).map((name) => [name, linked(name)]));
  // A file of a template.
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<'dependencies' | 'devDependencies', object>;
  const { dependencies, devDependencies } = manifest;
  const tools = { ...devDependencies, '@switchyard/cli': '' };
  const own = { ...manifest, dependencies: all(dependencies), devDependencies: all(tools) };
  writeFileSync(file, `${JSON.stringify(own, undefined, 2)}\n`);
}

async function installPackages(directory: string, note: (line: string) => void): Promise<void> {
  note('npm installs the packages');
  const { status, printed } = await npm(['install', '--no-audit', '--no-fund', '--loglevel=error'], directory);
  if (status === 0) return;
  const [code] = UNREACHABLE.exec(printed) ?? [];
  const why = /npm error (?!code )(.+)/.exec(printed)?.[1] ?? `npm ended with ${status}`;
  throw new ProjectNotCreated(
    code === undefined
      ? `npm install: ${why}`
      : `npm install: the registry is not reachable (${code}): try again with a network, or with --no-install`,
  );
}

interface Ended {
  readonly status: number;
  readonly printed: string;
}

/** Most characters of the output of npm that are kept. */
const KEPT = 100_000;

function npm(args: readonly string[], directory: string): Promise<Ended> {
  return new Promise((end) => {
    const child = spawn('npm', args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed = (printed + text).slice(-KEPT);
      });
    }
    child.once('error', (error) => end({ status: 1, printed: `npm error ${error.message}` }));
    child.once('close', (status) => end({ status: status ?? 1, printed }));
  });
}

export function linesAbout({ name, template, directory, next }: MadeProject): readonly string[] {
  return [`${name}, from the template ${template}, in ${directory}`, 'Next:', ...next.map((command) => `  ${command}`)];
}
