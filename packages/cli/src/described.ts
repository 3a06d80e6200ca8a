import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';

/** Runs `work` and reports invalid data as lines for the user, each beginning with `where`. @throws {Failure} */
export function described<T>(where: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // The class is recognized by its name, as in `describeError`.
    if (!(error instanceof Error) || error.name !== 'InvalidData') throw error;
    const lines = error.message.split('\n').map(plain);
    throw new Failure(lines.map((line) => (where === undefined ? line : `${where}: ${line}`)).join('\n'), error);
  }
}
