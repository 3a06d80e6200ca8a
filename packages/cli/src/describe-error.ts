import { Failure, STATUS } from './failure.ts';

export interface ErrorDescription {
  readonly line: string;
  readonly status: number;
}

/**
 * The line for an error. Errors of other packages are known by their name, since importing their classes would load
 * those packages for every command.
 */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof Failure) return { line: error.message, status: error.status };
  if (!(error instanceof Error)) return failed(String(error));
  const causes = chainOf(error);
  const refused = causes.find(({ name }) => name === 'Rejected');
  if (refused !== undefined) return failed(`refused: ${refused.message}`);
  const answered = causes.find(({ name }) => name === 'RollupRefused');
  if (answered !== undefined) return failed(`the rollup refused: ${answered.message}`);
  if (error.name === 'JsonRpcError')
    return failed(`the sequencer answers: ${error.message.replace(/^Internal error: /, '')}`);
  const code = causes.map(codeOf).find((found) => found !== undefined);
  if (code !== undefined && code in CONNECTION) return failed(`${error.message}: ${CONNECTION[code]}`);
  if (PROGRAMMING.has(error.name)) {
    return failed(
      `unexpected ${error.name}: ${firstLine(error.message)}: this is a fault of the program, please report it`,
    );
  }
  return failed(firstLine(error.message));
}

/** What the codes of failed connections mean to a person. */
const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: is it running, and is the URL right?',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'no such host: is the URL right?',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
};

const PROGRAMMING = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError', 'AssertionError']);

const failed = (line: string): ErrorDescription => ({ line: firstLine(line), status: STATUS.failed });
const firstLine = (text: string) => text.split('\n')[0] ?? '';

function chainOf(error: Error): Error[] {
  const chain: Error[] = [];
  for (let at: unknown = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at);
  return chain;
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
