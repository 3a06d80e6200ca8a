import { showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import { Failure, STATUS } from '@switchyard/service/failure';

/** For programs that read errors as JSON: the kind of failure. */
export type ErrorCode = 'usage' | 'failed' | 'refused' | 'unreachable' | 'defect';

export interface ErrorDescription {
  readonly line: string;
  readonly status: number;
  readonly code: ErrorCode;
}

/**
 * The line for an error. Errors of other packages are known by their name, since importing their classes would load
 * those packages for every command.
 *
 * @param nextStep For the user when a node cannot be reached.
 */
export function describeError(error: unknown, nextStep: string = USUAL_STEP): ErrorDescription {
  if (error instanceof Failure) {
    const { message, status, cause } = error;
    const line = cause instanceof Error && isOfAnother(cause) ? `${clause(message)}: ${nextStep}` : message;
    return { line, status, code: status === STATUS.usage ? 'usage' : 'failed' };
  }
  if (!(error instanceof Error)) return failed(String(error));
  const causes = getChain(error);
  const refused = causes.find(({ name }) => name === 'Rejected');
  if (refused !== undefined) return failed(`refused: ${refused.message}`, 'refused');
  const answered = causes.find(({ name }) => name === 'RollupRefused');
  const elsewhere = isOfAnother(answered ?? error) ? `: ${nextStep}` : '';
  const ended = (text: string) => (elsewhere === '' ? text : clause(text) + elsewhere);
  if (answered !== undefined) return failed(ended(`the rollup refused: ${answered.message}`), 'refused');
  if (error.name === 'JsonRpcError')
    return failed(ended(`the sequencer answers: ${error.message.replace(/^Internal error: /, '')}`), 'refused');
  const code = causes.map(findCode).find((found) => found !== undefined);
  if (code !== undefined && code in CONNECTION)
    return failed(`${clause(error.message)}: ${CONNECTION[code]}: ${nextStep}`, 'unreachable');
  if (causes.some(({ name }) => name === 'TransportFailure' || name === 'TimedOut')) {
    const reason = causes.find(({ message }) => message === 'fetch failed')?.cause;
    const why = reason instanceof Error ? `: ${clause(reason.message)}` : '';
    return failed(`${clause(error.message)}${why}: ${nextStep}`, 'unreachable');
  }
  if (PROGRAMMING.has(error.name)) {
    return failed(
      `unexpected ${error.name}: ${clause(firstLine(error.message))}: this is a fault of the program, please report it`,
      'defect',
    );
  }
  // An answer of another form: likely that of another service.
  if (error.name === 'InvalidData' && nextStep !== USUAL_STEP)
    return failed(`${clause(firstLine(error.message))}: ${nextStep}`);
  return failed(firstLine(error.message));
}

/** One line, so that a reader of stderr finds it among others. */
export function errorJson({ code, status, line }: ErrorDescription): string {
  return showHiddenInJson(JSON.stringify({ error: { code, status, message: line } }));
}

/** A message of others as a part of a longer one: without the full stop that may end it. */
const clause = (text: string) => text.replace(/[\s.;,:]+$/, '');

/** Explanations of the error codes of failed connections. */
export const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
};

const USUAL_STEP = 'check the URL; `switchyard dev status` shows what runs here';

/** Error code defined by JSON-RPC 2.0. */
const METHOD_NOT_FOUND = -32_601;

/** Whether the answer likely came from another service than intended: it does not know such a call. */
function isOfAnother(error: Error): boolean {
  const { code, status } = error as { readonly code?: unknown; readonly status?: unknown }; // of any class
  if (error.name === 'JsonRpcError') return code === METHOD_NOT_FOUND || error.message.startsWith('no route ');
  return status === 404 && (code === 'http' || error.message.startsWith('no route '));
}

const PROGRAMMING = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError', 'AssertionError']);

const failed = (line: string, code: ErrorCode = 'failed'): ErrorDescription => ({
  line: firstLine(line),
  status: STATUS.failed,
  code,
});
const firstLine = (text: string) => text.split('\n')[0] ?? '';

function getChain(error: Error): Error[] {
  const chain: Error[] = [];
  for (let at: unknown = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at);
  return chain;
}

function findCode(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
