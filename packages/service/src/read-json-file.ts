import { InvalidConfig } from './config.ts';
import { type ExactJson, InvalidJson, parseExactJson } from './exact-json.ts';
import { Input, type Read } from './input/input.ts';
import { InvalidData, type Problem, unexpected } from './input/invalid-data.ts';

/**
 * Reads the text of a JSON file into a value, all its integers exact.
 *
 * @param file Its name, for the messages.
 * @throws {InvalidConfig} with one problem for each mistake, each with file and path.
 */
export function readJsonFile<T>(text: string, file: string, read: Read<T>): T {
  try {
    return read(new Input(parseFile(text), ''));
  } catch (error) {
    if (error instanceof InvalidData) throw invalidFile(file, error.problems);
    throw error;
  }
}

/** A file that cannot be used, for these reasons. */
export function invalidFile(file: string, problems: readonly Problem[]): InvalidConfig {
  return new InvalidConfig(
    problems.map(({ path, expected, got, message }) => ({
      variable: path === '' ? file : `${file}: ${path}`,
      expected: expected ?? `another value (${message})`,
      ...(got === undefined ? {} : { got }),
      advice: 'correct the file',
    })),
  );
}

function parseFile(text: string): ExactJson {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    throw new InvalidData([unexpected('', 'JSON', error.message)]);
  }
}
