import { homedir } from 'node:os';
import { Failure } from '@switchyard/service/failure';

/**
 * A leading `~` becomes the home directory, `$NAME` and `${NAME}` the values of `variables`.
 *
 * @param where Named in the failure.
 * @throws {Failure} on a variable that is not set: a path with a hole in it is worse than none.
 */
export function expand(text: string, variables: Readonly<Record<string, string | undefined>>, where: string): string {
  return text
    .replace(/^~(?=$|\/)/, homedir())
    .replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (_, braced: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare ?? '';
      const value = variables[name];
      if (value === undefined) throw new Failure(`${where}: the variable ${name} is not set`);
      return value;
    });
}
