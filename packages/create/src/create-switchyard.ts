import { parseArgs } from 'node:util';
import { linesAbout, newProject, ProjectNotCreated, TEMPLATES } from './new-project.ts';

const USAGE = `usage: create-switchyard NAME [--template ${TEMPLATES.join('|')}] [--directory DIRECTORY] [--no-install]`;

/** The program `create-switchyard`. @returns its exit status. */
export async function createSwitchyard(args: readonly string[]): Promise<number> {
  const print = (line: string) => console.log(line);
  const read = argumentsIn(args);
  if (typeof read === 'string') {
    console.error(`${read}\n${USAGE}`);
    return 2;
  }
  const { name, template, directory, install, help } = read;
  if (help || name === undefined) {
    if (help) print(USAGE);
    else console.error(USAGE);
    return help ? 0 : 2;
  }
  try {
    const made = await newProject({ name, template, directory, install, note: print }, process.cwd());
    for (const line of linesAbout(made)) print(line);
    return 0;
  } catch (error) {
    if (!(error instanceof ProjectNotCreated)) throw error;
    console.error(error.message);
    return 1;
  }
}

function argumentsIn(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      ...{ args: [...args], allowPositionals: true, allowNegative: true },
      options: {
        template: { type: 'string' },
        directory: { type: 'string' },
        install: { type: 'boolean', default: true },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const [name, ...rest] = positionals;
    return rest.length > 0 ? `unexpected argument ${JSON.stringify(rest[0])}` : { ...values, name };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
