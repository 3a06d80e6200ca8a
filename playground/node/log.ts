const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
type Level = (typeof LEVELS)[number];
type Fields = Readonly<Record<string, unknown>>;

interface Options {
  readonly level: Level;
  readonly base: Fields;
  timestamp(): string;
  readonly formatters: { log(fields: Fields): Fields };
}

/** Lines of `pino`, for the options that our logger has. */
export function pino(options: Options, destination: { write(line: string): void }, base = options.base) {
  const { level: least, formatters } = options;
  const isLevelEnabled = (level: Level) => LEVELS.indexOf(level) >= LEVELS.indexOf(least);
  const log = (level: Level) => (fields: Fields | string, msg?: string) => {
    if (!isLevelEnabled(level)) return;
    const all = typeof fields === 'string' ? { ...base, msg: fields } : { ...base, ...formatters.log(fields), msg };
    destination.write(`{"level":"${level}"${options.timestamp()},${JSON.stringify(all).slice(1)}\n`);
  };
  return {
    ...{ error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug'), trace: log('trace') },
    isLevelEnabled,
    child: (fields: Fields, { level }: { level: Level }) =>
      pino({ ...options, level }, destination, { ...base, ...fields }),
  };
}
