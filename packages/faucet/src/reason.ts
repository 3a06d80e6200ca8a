import { errorLine } from '@switchyard/service';

/** One line that says what went wrong. Of a URL it has the host alone: paths and users of node URLs are often keys. */
export function reasonLine(error: unknown): string {
  return errorLine(error).replace(/\b(https?:\/\/)(?:[^\s/@]*@)?([^\s/,;]+)\/?[^\s,;:]*/gi, '$1$2');
}
