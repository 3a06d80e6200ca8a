import { levelOf } from './filter.ts';

/** Characters of a line in which a request is looked for. */
const MAX_MATCHED = 400;

/**
 * A request for one of the pages that this tool, the explorer and systems of monitoring ask again and again, as access logs of
 * most servers print it: `GET /healthz`, `method=GET url=/status`, `"path":"/metrics"`, or the health service of gRPC.
 */
const CHECK =
  /(?:\b(?:GET|HEAD)\b["' ]{1,3}|\b(?:url|uri|path|target|route)"?[=:] ?"?)(?:https?:\/\/[^/\s"]{1,80})?\/(?:healthz?|readyz?|livez|metrics|status|v1\/status|v1\/recent|v1\/posted|v1\/outcomes)(?=[\s"'?,&]|$)|\bgrpc\.health\.v1\.Health\b/;
/** A status of HTTP that is an error. */
const FAILED = /(?:[ =:"](?:status(?:_?code)?"?[=:] ?"?)| HTTP\/[\d.]{1,3}"? )[45]\d\d\b/i;

/** Whether a line only reports that a health check or a poll was answered. */
export function isCheck(line: string): boolean {
  const text = line.slice(0, MAX_MATCHED);
  if (!CHECK.test(text) || FAILED.test(text)) return false;
  const level = levelOf(text);
  return level !== 'warn' && level !== 'error' && level !== 'fatal';
}
