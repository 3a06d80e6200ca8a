/** Members of a header that are bytes, in the order of their fields, which are numbered from 6 on. The address has 20 bytes. */
export const HEADER_BYTES = [
  ...(['lastCommitHash', 'dataHash', 'validatorsHash', 'nextValidatorsHash', 'consensusHash', 'appHash'] as const),
  ...(['lastResultsHash', 'evidenceHash', 'proposerAddress'] as const),
] as const;
export const FIRST_BYTES = 6;

export type HeaderBytes = Readonly<Record<(typeof HEADER_BYTES)[number], Uint8Array>>;

/** These members, each in the form that is read. */
export const headerBytes = (read: (name: string, field: number) => Uint8Array): HeaderBytes =>
  // The names are those of the table.
  Object.fromEntries(HEADER_BYTES.map((name, at) => [name, read(name, FIRST_BYTES + at)])) as unknown as HeaderBytes;

/** The name of a member in JSON. */
export const nameInJson = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
