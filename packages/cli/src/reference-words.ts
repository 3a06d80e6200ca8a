/** Options of the reference's commands, and ours that mean the same. */
const OPTIONS: Readonly<Record<string, string>> = {
  '--privkey': '--private-key',
  '--keyfile': '--private-key-file',
  '--sequencer-chain-id': '--sequencer.chain-id',
  '-c': '--sequencer.chain-id',
};

const KEYRING = 'the keyring of the system is not used: give --private-key-file with a file of `switchyard keys`';

/** Words of the reference that have no meaning here, and their replacements. */
const ABSENT: Readonly<Record<string, string>> = {
  setkey: 'keep a key in an encrypted file with `switchyard keys import`',
  getkey: 'keys are in files: `switchyard keys list` names them',
  setconfig: 'URL, chain and assets are those of a network: `switchyard dev setconfig` and `switchyard dev network`',
  '--keyring': KEYRING,
  '--keyring-address': KEYRING,
};

/** A command line of the reference's tutorials in words of this tool; any other is returned unchanged. */
export function ownWords(args: readonly string[]): string[] {
  const [first, second, ...others] = args;
  if (first === 'help') return [...args.slice(1), '--help'];
  if (first !== 'sequencer') return [...args];
  // A new key is always shown, unless it is written to a file.
  if (second === 'createaccount')
    return [first, 'account', 'create', ...others.filter((option) => option !== '--insecure')];
  const end = args.indexOf('--');
  return args.map((arg, index) => {
    const [name = ''] = arg.split('=', 1);
    const own = end === -1 || index < end ? OPTIONS[name] : undefined;
    return own === undefined ? arg : `${own}${arg.slice(name.length)}`;
  });
}

/** Advice for a message that refuses a word of the reference; empty for all others. */
export function adviceOn(message: string): string {
  const [, word = ''] = /^error: unknown (?:command|option) '([^'=]+)/.exec(message) ?? [];
  return Object.hasOwn(ABSENT, word) ? `: ${ABSENT[word]}` : '';
}
