import { errorLine } from '@switchyard/service';

/** One line for an error. URLs are cut to their host: paths and users of node URLs are often keys. */
export function reasonLine(error: unknown): string {
  return errorLine(error).replace(/\b(https?:\/\/)(?:[^\s/@]*@)?([^\s/,;]+)\/?[^\s,;:]*/gi, '$1$2');
}
