import { type ExactJson, InvalidJson, parseExactJson } from '../input/exact-json.ts';
import { Input, type Read } from '../input/input.ts';
import { InvalidData, type Problem, unexpected } from '../input/invalid-data.ts';
import { jsonLine } from '../input/json-line.ts';
import { withoutMark } from '../input/parse-input.ts';
import { InvalidConfig } from './config.ts';

/**
 * Reads the text of a JSON file into a value, all its integers exact.
 *
 * @param file Its name, for the messages.
 * @throws {InvalidConfig} with one problem for each mistake, each with file, line and path.
 */
export function readJsonFile<T>(text: string, file: string, read: Read<T>): T {
  try {
    return read(new Input(parseFile(text), ''));
  } catch (error) {
    if (error instanceof InvalidData) throw invalidFile(file, error.problems, text);
    throw error;
  }
}

/** For each line the text is read again, which may be large. */
const MAX_LINES = 20;

/**
 * A file that cannot be used, for these reasons.
 *
 * @param text Of the file: if it has several lines, the messages name those.
 */
export function invalidFile(file: string, problems: readonly Problem[], text = ''): InvalidConfig {
  const hasLines = text.trimEnd().includes('\n');
  const getPlace = (path: string, index: number) => {
    const line = hasLines && index < MAX_LINES ? jsonLine(text, path) : undefined;
    return line === undefined ? file : `${file}:${line}`;
  };
  return new InvalidConfig(
    problems.map(({ path, expected, got, message }, index) => ({
      variable: path === '' ? file : `${getPlace(path, index)}: ${path}`,
      expected: expected ?? `another value (${message})`,
      ...(got === undefined ? {} : { got }),
      advice: 'correct the file',
    })),
  );
}

function parseFile(text: string): ExactJson {
  try {
    return parseExactJson(withoutMark(text));
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    throw new InvalidData([unexpected('', 'JSON', error.message)]);
  }
}
